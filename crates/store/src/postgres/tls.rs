//! Implements TLS with rustls, since OpenSSL would be loaded beside the one that is measured.

use crate::address::{Roots, Trust};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Starts TLS on `stream` with `host`, which must prove what `trust` says; the error explains what
/// is wrong.
pub(super) async fn connect(
    stream: TcpStream,
    host: &str,
    trust: &Trust,
) -> Result<TlsStream<TcpStream>, String> {
    let provider = Arc::new(ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let any_name = |authorities| Arc::new(AnyName { authorities, algorithms });
    let verifier: Arc<dyn ServerCertVerifier> = match trust {
        Trust::NoTls | Trust::Encrypted => any_name(None),
        Trust::Authority(roots) => any_name(Some(by_roots(roots, &provider)?)),
        Trust::Name(roots) => by_roots(roots, &provider)?,
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| format!("'{host}' is not a name that a certificate can have"))?;
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, stream).await.map_err(|error| error.to_string())
}

fn by_roots(
    roots: &Roots,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, String> {
    let mut store = RootCertStore::empty();
    let certificates: Vec<CertificateDer<'_>> = match roots {
        Roots::System => rustls_native_certs::load_native_certs().certs,
        Roots::File(file) => {
            let unreadable = |error: &dyn std::fmt::Display| {
                format!("the certificates in '{}' cannot be read: {error}", file.display())
            };
            CertificateDer::pem_file_iter(file)
                .map_err(|error| unreadable(&error))?
                .collect::<Result<_, _>>()
                .map_err(|error| unreadable(&error))?
        }
    };
    store.add_parsable_certificates(certificates);
    WebPkiServerVerifier::builder_with_provider(Arc::new(store), provider.clone()).build().map_err(
        |error| match roots {
            Roots::System => format!("this system has no certificates to trust ({error})"),
            Roots::File(file) => {
                format!("'{}' has no certificates to trust ({error})", file.display())
            }
        },
    )
}

/// Accepts a server whatever its name: with a certificate of an authority, or, if none is required,
/// with the key of the certificate it shows.
#[derive(Debug)]
struct AnyName {
    authorities: Option<Arc<WebPkiServerVerifier>>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(by) = &self.authorities else { return Ok(ServerCertVerified::assertion()) };
        // The name is checked last, when all else is valid.
        match by.verify_server_cert(certificate, intermediates, name, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        rustls::crypto::verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
