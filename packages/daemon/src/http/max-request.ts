/** A request may be this large: a prompt may have 10 MB, an attachment 20 MB in base64. */
export const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
