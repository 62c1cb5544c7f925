//! That it is right.

use crate::{installed, is_whole, output, parameters, without_what_fips_forbids};
use cpb_model::Operation::{Auth, Derive, Encrypt, Hash, Mac, Seal, Xof};
use cpb_model::{Contract, Operation, Parameters};
use std::collections::HashSet;

#[test]
fn answers_are_right() {
    let Some(library) = installed() else { return };
    let offers = library.offers();
    let mut problems = Vec::new();
    let mut checked = HashSet::new();
    for &(primitive, operation, aad_bytes, expected) in KNOWN_ANSWERS {
        let offer = offers
            .iter()
            .find(|offer| offer.primitive == primitive && offer.operation == operation)
            .filter(|offer| offer.unavailable.is_none());
        let Some(offer) = offer else {
            println!("not offered: {primitive} {operation:?}");
            continue;
        };
        let iterations = (operation == Derive).then_some(10);
        let parameters = Parameters { aad_bytes, iterations, ..parameters(1040) };
        match output(library.as_ref(), offer, Contract::Keyed, parameters) {
            Ok(output) => {
                let end = &output[output.len().saturating_sub(32)..];
                let end: String = end.iter().map(|byte| format!("{byte:02x}")).collect();
                if end != expected {
                    problems.push(format!("{primitive} {operation:?}: {end}, not {expected}"));
                }
                checked.insert((primitive, operation));
            }
            Err(error) => problems.push(format!("{primitive} {operation:?}: {error}")),
        }
    }
    println!("{} checked", checked.len());
    let problems = without_what_fips_forbids(problems);
    assert!(problems.is_empty(), "{} problems: {problems:#?}", problems.len());
    for operation in [Hash, Xof, Mac, Encrypt, Seal, Auth, Derive] {
        if !is_whole(library.as_ref()) {
            break;
        }
        let count = checked.iter().filter(|(_, kind)| *kind == operation).count();
        assert!(count >= 2, "{operation:?}: {count}");
    }
}

/// Primitive, operation, length of the associated data, and the last 32 bytes
/// of the output for a message of 1040 bytes (a derivation: 10 iterations, 32
/// bytes), with cpb's inputs. From Python's `hashlib`, `hmac` and `zlib`, its
/// packages `cryptography` and `PyCryptodome`, and from the `openssl` program,
/// Nettle and Botan.
#[rustfmt::skip]
const KNOWN_ANSWERS: &[(&str, Operation, usize, &str)] = &[
    ("md5", Hash, 0, "3e4cfe4a856910ed10f40796adf84306"),
    ("sha1", Hash, 0, "ac08ec419bca96e0fa1263db074799da987c25db"),
    ("sha224", Hash, 0, "d76db3f892b6b8958e6693cb0ae718f462143700af9ad9ac767ee71e"),
    ("sha256", Hash, 0, "45d57b49e6dc1b1739430a4b6b3576f95beae3a2bd66a720554a8d12e2615cd4"),
    ("sha384", Hash, 0, "c39b8a4e01ea997ea87957a9a3ea0a92b6431d34855721ac94205142a1f982d7"),
    ("sha512", Hash, 0, "aa3b6935295bb5efcc4cbcfbdc94432915531e34f740632a1c77e6f4d20c5fce"),
    ("sha3-224", Hash, 0, "6c9ecb039699232fceeecf797695880354ce5dc1a9e775b2fe466963"),
    ("sha3-256", Hash, 0, "cd9ccac1995e973d2b450aab352afa49d5884ef19124173dcbb59020566c96a2"),
    ("sha3-384", Hash, 0, "b919a6e4d8f75fe4489c0fee485c07936e96f3b967b47f3f51838ab17fe7a43f"),
    ("sha3-512", Hash, 0, "8c34ba71dec5fcfa0091ed97257ee90077b0ebce132c96b57a2d3dd05ed55cc5"),
    ("blake2b-512", Hash, 0, "5e9b9369d4e6f924c84bad1576f4f0553f85512667714471c8218b3ce234e9de"),
    ("blake2s-256", Hash, 0, "dc373e1eb85136ea6c98dfcb51a1ada36102895251d4b8e7f18143a89063abc2"),
    ("sha512-256", Hash, 0, "42e5719df935ea2baca89dcfd642fb50236a2fd27169a5d0ebb35d5b66ba9474"),
    ("sha512-224", Hash, 0, "2ba1bbc96d1e23e4a6e22f3ad848af4b71b7a73fb395ffb85e189972"),
    ("sm3", Hash, 0, "96c68db00c79bbefe883093fad4d1182beba95a3df52b494f2278678bccd4cc1"),
    ("ripemd160", Hash, 0, "f501915ee1b7527b11f0fbca26909e82aa136668"),
    ("blake2b-384", Hash, 0, "aff47b5b3ba41249880a7401d2c86dae2327d739e5692fd93a2ce4f14eb6c370"),
    ("blake2b-256", Hash, 0, "fa884b9fe75a529200d3682854b21b99b93b9fc328e1ea7b01e5f16c655b4a8f"),
    ("blake2b-160", Hash, 0, "3a745761e5a8e416b4ac80d6d27e665fc9a722a6"),
    ("blake2s-224", Hash, 0, "b9f34be2151976831cd147fdcab4ce3f6c666e5a12580805afa83f3d"),
    ("blake2s-160", Hash, 0, "bdfacd7fbf51699d011170c4151458ffc14e138a"),
    ("blake2s-128", Hash, 0, "e26d827f6afb50dc471251f956681ac2"),
    ("whirlpool", Hash, 0, "3bf932d8ee1b17bd464e4f57329ed543a5e10c308cd437f006bfb8aa9aae237b"),
    ("md4", Hash, 0, "3195864abaab2407c1274aa235b71b54"),
    ("crc32", Hash, 0, "1eeeb30b"),
    ("shake128", Xof, 0, "2a4083331411a4c4229e4805f950d50978852cbc571adcef61e9778681c27678"),
    ("shake256", Xof, 0, "21ad23e9e96ff9c61cdfc3ca2a83dc15d222667c362107fb9f5d31e86c7fd6fd"),
    ("streebog-256", Hash, 0, "6ecf677f79fd5a28d96af54d5d86fbebf930bc26061aa85f2788db32c422d6eb"),
    ("streebog-512", Hash, 0, "5216ba3044d015707fca35a178f42c75dc626daf7a55d117d9a941634c16b498"),
    ("gosthash94", Hash, 0, "e235430de4981b223f5a3c97f8b1dcb8ed59e5303c2e8ed4a35481d2be4746bf"),
    ("gosthash94-cp", Hash, 0, "58dfce978dea4c25c646343da2d13f5db5a7904212e016d6f97d2f23f41d65d3"),
    ("tiger", Hash, 0, "03c632a9d530e581e0c17b3d71fa6173213b9dd51441dd50"),
    ("crc24", Hash, 0, "314a12"),
    ("serpent-128-cbc", Encrypt, 0, "71ef0b6463edc6662d22da0d94e54c8f5c37691cd68c8d55d9b2db934715184e"),
    ("serpent-192-cbc", Encrypt, 0, "aa0a8f74c9b3d2dcf540bcd37edc060d8fd836d826b74294a7a4be1d5d70488e"),
    ("serpent-256-cbc", Encrypt, 0, "2e1a31cee3dd9f7e2a02610818cacd753391d7f38eaa742e0f09f1f7a90b81da"),
    ("twofish-128-cbc", Encrypt, 0, "e94dd75060900652511abe18cdb33def5f37aaf6f43ca00ce7d9aea13e5cfd8b"),
    ("twofish-256-cbc", Encrypt, 0, "6f487999e38581e723301d58dfea0fb7dfbb7b0417621d0f50926cdabee83451"),
    ("seed-cbc", Encrypt, 0, "93c92448a2772a007ad2ba5913e8315fb50205ceeea168e6dd705cd785e4997c"),
    ("camellia-192-cbc", Encrypt, 0, "4c11fece6a0d72f1289bc33788bb1ccc751a3ef82c27cd035b93459af23d2b08"),
    ("idea-cbc", Encrypt, 0, "e89d5efa0ea5abe5b6293005d21ff434ebc09a4a44d6f3c6b4126edb98e61103"),
    ("blowfish-128-cbc", Encrypt, 0, "215b39c05c8e3209ed002f0189475ffd815b3204b56616a5109b098aa3f697e7"),
    ("cast5-128-cbc", Encrypt, 0, "71e199c4f24742fa38883e8d22421100ed6ea8bde5fbbfe510662ec308d5ac9b"),
    ("serpent-256-gcm", Seal, 20, "938824fe08aef4279c5af9af58615565eea6240282d386e3d7b4d90e6f488021"),
    ("twofish-256-ocb", Seal, 20, "14bcbce5584415ab3b0281a03920871793cae7e29c93580965e23b37dfa4f92a"),
    ("blowfish-128-eax", Seal, 20, "7f14dba93b12ab7502e761178816cbd553a4f666231fb19543bf18665e33a029"),
    ("hmac-sha256", Mac, 0, "ac3c6c0bb614e5847598c5e57c870eda0f8fd8d76db402769a1764ac7ff92c06"),
    ("hmac-sha1", Mac, 0, "37c262282b84c7bf102dcd95790fe77ffe58de39"),
    ("hmac-sha512", Mac, 0, "5219746b9502a22faac02b93dcf5c2c9a92cf89ab05aa7d768e29853d128f519"),
    ("hmac-sha3-256", Mac, 0, "a9b970d33007cabba3cf8ef8ea7e14afdbac676cf9e4e0202217f12f82d0e708"),
    ("hmac-blake2b-512", Mac, 0, "8f2a68e61bd7e4e524463378fa7b44e04395086f187d07219a04bc6bb5788a51"),
    ("cmac-aes-128", Mac, 0, "c8ed941d1609a2329c775d722178b485"),
    ("cmac-aes-192", Mac, 0, "cc8939887e45092d8e349f3a25ab7476"),
    ("cmac-aes-256", Mac, 0, "486f300163db4f9e42694341ceecd8c0"),
    ("cmac-3des", Mac, 0, "76f74d970fc9b90e"),
    ("cmac-sm4", Mac, 0, "8e63583d011e262e1e348e3581e428fc"),
    ("gmac-aes-128", Mac, 0, "d7321c2b973befbbee289fc79866c8e6"),
    ("gmac-aes-256", Mac, 0, "eb4d30e124b488133d1702c6cd842497"),
    ("poly1305", Mac, 0, "0e84ec1290c455ec15216c0352149f63"),
    ("poly1305-aes-128", Mac, 0, "48b1481bbf83640e7963c693c5028a5b"),
    ("aes-128-ecb", Encrypt, 0, "89e795a95982bddd5479bf181441ac7a07dfdbde5dc088a810003977d3b8f79f"),
    ("aes-128-cbc", Encrypt, 0, "4eca83a952ac661cac395e45147484c896983346f3f8f6eb4ce5824844c9ebeb"),
    ("aes-128-cfb", Encrypt, 0, "c77203a85da12403bed858e76e37e7b88bbde797bb700f7dadca30041a534161"),
    ("aes-128-ofb", Encrypt, 0, "481237b0800b6b24b5311e960fefc43dda03235b504a0c29c61038cfde8a0d6c"),
    ("aes-128-ctr", Encrypt, 0, "956ad684e2891044ece5e0f50ef4b710e4f3cc0fe79034fee5f30de92d287e73"),
    ("aes-192-ecb", Encrypt, 0, "0f3f945a3ec15b748324810a40b17042814388cdbe4048e63598627dd778d09a"),
    ("aes-192-cbc", Encrypt, 0, "cf4e4b564a4c58e67e70316545496c80feadd4e490a12ef1ef5dcc6c0e180348"),
    ("aes-192-cfb", Encrypt, 0, "08c58052c88f23c6d7e236d6d9c90438b5490cc104a28f3e7a5009985b5afd04"),
    ("aes-192-ofb", Encrypt, 0, "363d6dde769fb7e5ce899aa65dabe50d66a7717e0997230359270b0b280752cd"),
    ("aes-192-ctr", Encrypt, 0, "cc1022fff7bb914d043c2a53fca3dbc387d816252bc7903bda4830d46bcbb28a"),
    ("aes-256-ecb", Encrypt, 0, "bb24d33aca670250852883a92c9bf1d9e2b00b5529608ef72ed90c833b3959cd"),
    ("aes-256-cbc", Encrypt, 0, "57a6cf79ddb87629d7076986c8e81796b60272ecdcaf364ab19620c2bb388ce0"),
    ("aes-256-cfb", Encrypt, 0, "5dac5f2cb13c8f3d1ab6d98c62cc7a9531728f367fd2b953a718523fd71fc24b"),
    ("aes-256-ofb", Encrypt, 0, "0f9f57709a11b918d32c278e46ddeccc4adb8a906fb32f46ae53d5ee3b86511f"),
    ("aes-256-ctr", Encrypt, 0, "3f54f3f3732cf29ec243bcaaffaed632a87d25a8acdac2a3663ba60dcc72b7ac"),
    ("aes-128-cfb8", Encrypt, 0, "f932f51e80d98bae9b47dac0c63d4e81caa3eb26b7a1acd58a6b4aee4bad4204"),
    ("aes-128-xts", Encrypt, 0, "2746fc57a0be730a969c794944e53d0785f604898d6d187d6ce3d8382cff5c64"),
    ("aes-256-xts", Encrypt, 0, "b74b8f3bef03979b9e92964b14f7a9e8940109ab1d7a047b278262a9d23b03c4"),
    ("3des-cbc", Encrypt, 0, "f57095367082a76277bca453e8a3d9939bba78e93aa1f3d9fe16aa6e2a2af4d4"),
    ("sm4-ctr", Encrypt, 0, "3dac3d9690fca19da4e41b5f67e96bddc475e7dcb5ec5446b7471157ef34b754"),
    ("camellia-256-cbc", Encrypt, 0, "f254f5c6623f6da8fb6d2322a364da2b0a66eeff91845336e20271b5d81cf301"),
    ("des-cbc", Encrypt, 0, "125b33e31edcffb464c0b5936151b743571f6beb5de0c2cb06a74180da992026"),
    ("rc2-128-cbc", Encrypt, 0, "3658e955f1d8caff12f449b98e6179d8b4b94ab3fd474704d86616152583dc94"),
    ("rc2-40-cbc", Encrypt, 0, "0633f3b3b37adc786022badb4b5dfd9cb2d84b21184c1b8394a0bfecc1a23a66"),
    ("rc4-128", Encrypt, 0, "9f9cf525c6ddcc525da565c1d7cbb07b58ff42d35c37c642763676e92ab6fa07"),
    ("salsa20", Encrypt, 0, "0fa0ceefabbc7a69c7ccc174fb27a0cd303cd01e813c5d316eded3a2e7d17eb5"),
    ("chacha20", Encrypt, 0, "fee6fcce97342e08f642c4c5815f60f3d1d849d35d4e2bc0a540e3e1cc857ec1"),
    ("aes-128-gcm", Seal, 20, "56c73510ffa5bb7925fffc3cb483e861dc9e4b6566e167edd9bc78f05f33940c"),
    ("aes-128-ccm", Seal, 20, "14ace1a4784f85520063686d66f95d0fd936be2e739120b1cc3d08150267ba11"),
    ("aes-128-ocb", Seal, 20, "9c84686bfbf2603fcdcacc336dab7a4dbf7bf14947ba8f73adfa9d1ec5efb449"),
    ("aes-128-siv", Seal, 20, "c9336bf6ef24293b7a9a727476208ce8232fade0f92404bf75159fa06448e7e9"),
    ("aes-128-eax", Seal, 20, "dfba5c9b53fb03432347256a10201da6744346bdaaea42b6f9c9c3e008a63102"),
    ("aes-128-gcm", Auth, 0, "d7321c2b973befbbee289fc79866c8e6"),
    ("aes-192-gcm", Seal, 20, "7a2a2cc67aa86e7fa4951341da5aa2497df4a9e0737bfe84da10b32c333fea05"),
    ("aes-192-ccm", Seal, 20, "c775085b592acc842aea444d7fc0524af765786cc2d55cbe4c03c7326dbc79ae"),
    ("aes-192-ocb", Seal, 20, "a739beea4acf0d9c7d3144218439383f5fda9bdc4fad077a9d566f4be408e1fe"),
    ("aes-192-siv", Seal, 20, "001de1d9364ca5911df57897b2b0f0447d816df4283f6557593042a2509a5932"),
    ("aes-192-eax", Seal, 20, "9bf319c047ab06777f6be20e5a1535289b22cf82441948408e8d2a3b9d5532a9"),
    ("aes-192-gcm", Auth, 0, "47eecb61dfc2b7b94fa18f609b66a660"),
    ("aes-256-gcm", Seal, 20, "c4867620a776708fb936350255372f9ba47ce99043abb2c6db16bb9fee63debf"),
    ("aes-256-ccm", Seal, 20, "d2d264f4cdbe98b8cfb77e4d9430e5bc12aadedef48d0559a972b8e9ada915d1"),
    ("aes-256-ocb", Seal, 20, "00b39ac34b9b4e3c4e03fef2c6a3428c6a0c1c286393732e37c66389165378b7"),
    ("aes-256-siv", Seal, 20, "739fbf12273322d3030cc360b83ab21a9eec90f613bb0d8e6ea547f82bf8f10d"),
    ("aes-256-eax", Seal, 20, "d74066e5b9791142aa46605f9ae93deacafb0082c641ebec3eb6c08259ba8198"),
    ("aes-256-gcm", Auth, 0, "eb4d30e124b488133d1702c6cd842497"),
    ("aes-128-siv", Seal, 0, "abaab78ab3d230a75a1d6f78dc737c801a4fe16683aabeade26ab7cf46bac566"),
    ("aes-128-gcm", Seal, 0, "56c73510ffa5bb7925fffc3cb483e861c2292bce315d14c236e8b7485093e390"),
    ("chacha20-poly1305", Seal, 20, "dd5d78a972ed52657411401fd69d7e44dabf3e9a2cd71fe392c888fdafa4a7ac"),
    ("aes-128-ccm", Auth, 0, "10fa626c93810c234bddc2803a1183c0"),
    ("aes-128-ocb", Auth, 0, "3a1f265a471c271a1b85a18380d630bb"),
    ("chacha20-poly1305", Auth, 0, "c975b4997f4d1d7bc917ed85401b2218"),
    ("aes-128-eax", Auth, 0, "57c91bc9f96b155374809c5b8ce1b710"),
    ("3des-eax", Seal, 20, "26f6c0ef88b552085949748df015ac048342ec288a3fa5ec7f514d0bb259f878"),
    ("aes-128-siv", Auth, 0, "7c3cf1531ee41ea3443887a3b595caa8"),
    ("aes-128-gcm-siv", Seal, 20, "60b43b00c61b1d0df156f540944f9983977db0d4a302b68a188e292114625bbc"),
    ("aes-128-gcm-siv", Auth, 0, "30e4fdc0d30634612b1566ee525c5f4e"),
    ("aes-256-gcm-siv", Seal, 20, "95a0339270d62373bc311622c19823156bc6f655427b9e6786cfffd002d87390"),
    ("aes-256-gcm-siv", Auth, 0, "69b3a5c5cb14a3b39c0b212c72614e80"),
    ("pbkdf2-hmac-md5", Derive, 0, "9758b11ccc0c4cc3dccaa1474c5607343b5450ea2eda5e9934870fc453bad6d4"),
    ("pbkdf2-hmac-sha1", Derive, 0, "f10d97726b487902aaead77b22bd73d891861eae0bfefb2efddc00bb3f5114ec"),
    ("pbkdf2-hmac-sha256", Derive, 0, "cea010d03fcfc6d83a65d862fb940696d76571eb5ca5b0bc13948640525a830c"),
    ("pbkdf2-hmac-sha384", Derive, 0, "c66dcc459c48dfa9e3209fb5b67064ffb7a81c3680ff4fb26b07a2ad1f1971bc"),
    ("pbkdf2-hmac-sha512", Derive, 0, "72d693fd6633336b98c6ffd1b8e1dffcae46306a88952845b08cc5bfb7fe1e44"),
    ("pbkdf2-hmac-sha3-256", Derive, 0, "19933b1de807b9184c3245b5795f5f37a9e831481f44436f8e1189a42ea65db6"),
    ("scrypt-16384-8-1", Derive, 0, "74c83b9d2bf5f52575611ce9576f5698bbf100da21bb45e34cc4cf253e965024"),
    ("argon2d-m1024-p1", Derive, 0, "856ab52f0456312a412686850a16a889c79e5bf471c961d60292e4a755b882fd"),
    ("argon2i-m1024-p1", Derive, 0, "1a8357cda4b558f368aae6f8cacaae06cc90b9e45a6b4b63d7da89afd1ba2423"),
    ("argon2id-m1024-p1", Derive, 0, "581073415a8039466b00e39849c673cde763479774e5f186b339bb4bee427e33"),
    ("hkdf-sha256", Derive, 0, "b1083515e93b8db312e0dea4605dd460a728a48ce4489c2de760c3eead4fe0ae"),
    ("hkdf-sha512", Derive, 0, "5b3df5a4ec1f12f6affab22d72a59f2276b0adf92b325f5f59ec4dc398cac106"),
];
