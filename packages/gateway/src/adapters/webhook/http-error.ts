/** A request that is answered with an error. */
export class HttpError extends Error {
  readonly status: number;
  readonly hint: string | undefined;

  constructor(status: number, message: string, hint?: string) {
    super(message);
    this.status = status;
    this.hint = hint;
  }

  /** The body of the response. */
  toJSON(): { error: { message: string; hint?: string | undefined } } {
    return { error: { message: this.message, hint: this.hint } };
  }
}
