/** A request may be this large: a prompt may have 10 MB, an attachment 20 MB in base64, an event of an executor 16 MB. */
export const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
