//! Draws charts as PNG if the feature `png` is on, since its renderer is half of all dependencies.

use super::{Chart, Multiples, Style, multiples_to_svg, to_svg};

/// The reason why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// It has more pixels than memory can hold, or none.
    #[error("a picture of {width} × {height} pixels cannot be made")]
    Size { width: u32, height: u32 },
    /// The drawing was not understood.
    #[error("cannot render the chart: {0}")]
    Render(String),
    /// The picture could not be encoded.
    #[error("cannot encode the chart as PNG: {0}")]
    Encode(String),
    /// This build lacks the feature.
    #[error("this cpb was built without PNG (`cargo build --release --features png` has it)")]
    NotBuilt,
}

/// Draws `chart` as a PNG picture, with an embedded font.
///
/// # Errors
/// [`PngError`], if the picture is too large for memory, or this build lacks PNG.
pub fn to_png(chart: &Chart, style: &Style) -> Result<Vec<u8>, PngError> {
    picture(|style| to_svg(chart, style), style)
}

/// Draws `multiples` as a PNG picture.
///
/// # Errors
/// As [`to_png`].
pub fn multiples_to_png(multiples: &Multiples, style: &Style) -> Result<Vec<u8>, PngError> {
    picture(|style| multiples_to_svg(multiples, style), style)
}

#[cfg(not(feature = "png"))]
fn picture(_: impl Fn(&Style) -> String, _: &Style) -> Result<Vec<u8>, PngError> {
    Err(PngError::NotBuilt)
}

#[cfg(feature = "png")]
fn picture(draw: impl Fn(&Style) -> String, style: &Style) -> Result<Vec<u8>, PngError> {
    use super::Theme;
    use resvg::{tiny_skia, usvg};

    const FACES: [&[u8]; 2] = [
        include_bytes!("../../assets/Inter-Regular.subset.ttf"),
        include_bytes!("../../assets/Inter-SemiBold.subset.ttf"),
    ];
    let theme = match style.theme {
        Theme::Automatic => Theme::Light,
        stated => stated,
    };
    let svg = draw(&Style { theme, ..style.clone() });
    let mut fonts = usvg::fontdb::Database::new();
    FACES.iter().for_each(|face| fonts.load_font_data(face.to_vec()));
    let options = usvg::Options { fontdb: std::sync::Arc::new(fonts), ..Default::default() };
    let tree = usvg::Tree::from_str(&svg, &options)
        .map_err(|error| PngError::Render(error.to_string()))?;

    let ratio = style.pixel_ratio as f32;
    let pixels = |length: f32| (length * ratio).round() as u32;
    let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
    let mut picture =
        tiny_skia::Pixmap::new(width, height).ok_or(PngError::Size { width, height })?;
    let transform = tiny_skia::Transform::from_scale(ratio, ratio);
    resvg::render(&tree, transform, &mut picture.as_mut());
    picture.encode_png().map_err(|error| PngError::Encode(error.to_string()))
}
