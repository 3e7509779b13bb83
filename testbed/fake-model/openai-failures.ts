import { badGateway, type Failure, type ModelRequest } from './dialect.ts';
import type { FailureKind } from './steps.ts';

/** The error that OpenAI sends for a failure, the same in both of its APIs. */
export function openaiFailure(kind: FailureKind, request: ModelRequest): Failure {
  if (kind === 'html502') return badGateway;
  const { status, headers, type, code, message } = failures[kind];
  const text = message.replaceAll('{model}', request.model);
  return { status, headers, body: { error: { message: text, type, param: null, code } } };
}

type Described = Pick<Failure, 'status' | 'headers'> & {
  type: string;
  code: string | null;
  message: string;
};

/** For agents that cannot be told to retry less, and wait longer each time. */
const SOON = { 'retry-after-ms': '100' };

const failures: Record<Exclude<FailureKind, 'html502'>, Described> = {
  bad_request: {
    status: 400,
    type: 'invalid_request_error',
    code: 'invalid_value',
    message: "Invalid value: 'fake'.",
  },
  auth: {
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message:
      'Incorrect API key provided: sk-fake. You can find your API key at https://platform.openai.com/account/api-keys.',
  },
  forbidden: {
    status: 403,
    type: 'invalid_request_error',
    code: 'missing_scope',
    message:
      'You have insufficient permissions for this operation. Check that you have the correct role in your organization and project.',
  },
  not_found_model: {
    status: 404,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: 'The model `{model}` does not exist or you do not have access to it.',
  },
  rate_limited: {
    status: 429,
    type: 'tokens',
    code: 'rate_limit_exceeded',
    message:
      'Rate limit reached for {model} in organization org-fake on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200. Please try again in 1s.',
    headers: { 'retry-after': '1' },
  },
  overloaded: {
    status: 503,
    type: 'service_unavailable_error',
    code: 'server_is_overloaded',
    message: 'Our servers are currently overloaded. Please try again later.',
    headers: SOON,
  },
  quota: {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message:
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
  },
  context_too_long: {
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message:
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  server_error: {
    status: 500,
    type: 'server_error',
    code: null,
    message: 'The server had an error while processing your request. Sorry about that!',
    headers: SOON,
  },
};
