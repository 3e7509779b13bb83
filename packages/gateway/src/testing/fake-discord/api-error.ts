/** An error response of Discord, with its own code beside the HTTP status. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: Record<string, unknown> | undefined;

  constructor(status: number, code: number, message: string, errors?: Record<string, unknown>) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  get body(): unknown {
    return { message: this.message, code: this.code, ...(this.errors && { errors: this.errors }) };
  }
}

/** The error for a field that breaks a rule. */
export function invalidForm(field: string, code: string, message: string): ApiError {
  const errors = { [field]: { _errors: [{ code, message }] } };
  return new ApiError(400, 50035, 'Invalid Form Body', errors);
}

export const unauthorized = () => new ApiError(401, 0, '401: Unauthorized');
export const notFound = () => new ApiError(404, 0, '404: Not Found');
export const unknownChannel = () => new ApiError(404, 10003, 'Unknown Channel');
export const unknownGuild = () => new ApiError(404, 10004, 'Unknown Guild');
export const unknownMember = () => new ApiError(404, 10007, 'Unknown Member');
export const unknownMessage = () => new ApiError(404, 10008, 'Unknown Message');
export const unknownInteraction = () => new ApiError(404, 10062, 'Unknown interaction');
export const tooLarge = () => new ApiError(413, 40005, 'Request entity too large');
export const alreadyAcknowledged = () =>
  new ApiError(400, 40060, 'Interaction has already been acknowledged.');
export const missingAccess = () => new ApiError(403, 50001, 'Missing Access');
export const notAuthor = () =>
  new ApiError(403, 50005, 'Cannot edit a message authored by another user');
export const emptyMessage = () => new ApiError(400, 50006, 'Cannot send an empty message');
export const missingPermissions = () => new ApiError(403, 50013, 'Missing Permissions');
