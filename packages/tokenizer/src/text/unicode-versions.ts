import { classOf } from "./code-points.js";

// The libraries beneath Rust's `tokenizers` 0.23 know different versions of Unicode, and JavaScript engines yet others. Listed
// are the characters for which it matters, found by asking the Python package for each code point
// (`fixtures/components/record.py` asks again). A range goes on over what lies between two such characters where the
// class is the same with it: over code points without a character, or of other categories.

/** Characters of Unicode 17, which Oniguruma 6.9 and the crate `regex` 1.10 (Unicode 16) do not know. */
export const NEW_IN_17 = classOf(
  "88f c5c cdc 1acf-1aeb 20c1 2b96 a7ce-a7cf a7d2 a7d4 a7f1 fbc3-fbd2 fd90-fd91 fdc8-fdce 10940-10959 " +
    "10ec5-10efb 11b60-11b67 11db0-11de9 16ea0-16ed3 16ff2-16ff6 187f8-187ff 18d09-18df2 1ccfa-1ccfc " +
    "1ceba-1cef0 1e6c0-1e6ff 1f6d8 1f777-1f77a 1f8d0-1f8d8 1fa54-1fa57 1fa8a-1fa8e 1fac8-1facd " +
    "1faea-1faef 1fbfa 2b73a-2b73f 2cea2-2cead 323b0-33479",
);

/** Characters that the crate `unicode-normalization-alignments` 0.1.12 (Unicode 9) does not change, order or join, and later versions do. */
export const INERT_IN_9 = classOf(
  "7fd 897-89f 8ca-8d3 9fe c3c d3b-d3c eba 1715 1abf-1aeb 1df6-1dfa 32ff a7f1-a7f4 a82c ab69 105c9 " +
    "105d2 105da 105e4 10781-107ba 10d24-10d27 10d69-10d6d 10eab-10eac 10efa-10efb 10efd-10eff " +
    "10f46-10f50 10f82-10f85 11070 1133b 11382-11385 1138b-11391 113b8 113bb 113c2-113c9 113ce-113d0 " +
    "1145e 11839-1183a 11930 11935 11938 1193d-1193e 11943 119e0 11a34 11a47 11a99 11d42 11d44-11d45 " +
    "11d97 11f41-11f42 1611e-16129 1612f 16d63 16d67-16d6a 16ff0-16ff1 1ccd6-1ccf9 1e030-1e08f " +
    "1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5 1f16c " +
    "1fbf0-1fbf9",
);

// The crate `unicode_categories` 0.1.1 has the categories of Unicode 7.

/** Punctuation of later versions only. */
export const PUNCTUATION_AFTER_7 = classOf(
  "61d 9fd-a76 c77-c84 1b4e-1b4f 1b7d-1b7f 2e43-2e5d 10d6e-10f89 113d4-1145d 11660-116b9 1183b-11fff " +
    "12ff1-12ff2 16d6d-16fe2 1e5ff-1e95f",
);

/** Marks of later versions only. */
export const MARKS_AFTER_7 = classOf(
  "7fd 897-8d3 9fe afa-aff b55 c04-c3c cf3-d00 d3b-d3c d81 eba ece 1715 180f 1abf-1aeb 1cf7 1df6-1dfa " +
    "a82c a8ff 10d24-10f85 11070-11074 110c2 11145-11146 111c9 111ce-111cf 11241 1133b 113b8-113e2 1145e " +
    "1182c-11b67 11d31-1612f 16f4f 16f7f-16f87 16fe4-16ff1 1cf00-1cf46 1e08f-1e6f5",
);

/** Marks without a width of their own, of later versions only. */
export const NONSPACING_AFTER_7 = classOf(
  "7fd 897-8e1 9fe afa-aff b55 c04-c3c d00 d3b-d3c d81 eba ece 180f-1886 1abf-1aeb 1df6-1dfb a82c a8c5 " +
    "a8ff a9bd 10d24-10f85 11070-11074 110c2 111c9 111cf 1123e-11241 1133b 113bb-1145e 1182f-1612f 16f4f " +
    "16fe4 1cf00-1cf46 1e000-1e6f5 1e944-1e94a",
);
