import type { ConversationItem } from './conversation.ts';
import { badGateway, type Dialect, type Failure, type Frame, frame } from './dialect.ts';
import { asArray, asObject, asText, type JsonObject } from './json.ts';
import type { Reply } from './reply.ts';
import type { FailureKind, StopReason, Usage } from './steps.ts';

/** The Gemini API of Google. */
export const gemini: Dialect = {
  read: (body, url) => ({
    model: /models\/([^:]+):/.exec(url.pathname)?.[1] ?? '',
    stream: url.pathname.endsWith(':streamGenerateContent'),
    items: asArray(body.contents).flatMap((content) => readContent(asObject(content))),
    offered: asArray(body.tools)
      .flatMap((tool) => asArray(asObject(tool).functionDeclarations))
      .map((declaration) => readTool(asObject(declaration))),
    body,
  }),
  stream,
  whole: (reply) => chunk(reply, parts(reply), stopReasons[reply.stopReason]),
  failure: (kind, request) => {
    if (kind === 'html502') return badGateway;
    const { code, status, message, details } = failures[kind];
    const text = message.replaceAll('{model}', request.model);
    return { status: code, body: { error: { code, message: text, status, details } } };
  },
};

/** A count of the tokens in a request, good enough for a model that reads nothing. */
export function countTokens(body: JsonObject): JsonObject {
  return { totalTokens: Math.ceil(JSON.stringify(body).length / 4) };
}

function readContent(content: JsonObject): ConversationItem[] {
  if (content.role === 'model') return [{ by: 'model' }];
  return asArray(content.parts).map((value): ConversationItem => {
    const part = asObject(value);
    if ('functionResponse' in part) return { by: 'tool' };
    return { by: 'user', text: asText(part.text) };
  });
}

function readTool(declaration: JsonObject) {
  const schema = asObject(declaration.parametersJsonSchema ?? declaration.parameters);
  return { name: asText(declaration.name), parameters: Object.keys(asObject(schema.properties)) };
}

function stream(reply: Reply): Frame[] {
  const all = parts(reply);
  const chunks = all.map((part) => escaped(frame(chunk(reply, [part]), { delta: 'text' in part })));
  return [...chunks, frame(chunk(reply, [{ text: '' }], stopReasons[reply.stopReason]))];
}

/** Google escapes these line ends; its own client takes a bare one for the end of the event. */
function escaped({ text, delta }: Frame): Frame {
  return { text: text.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029'), delta };
}

function parts(reply: Reply): JsonObject[] {
  return [
    ...reply.thinking.map((text) => ({ text, thought: true })),
    ...reply.text.map((text) => ({ text })),
    ...reply.calls.map(({ id, name, input }) => ({
      functionCall: { id: `call_${id}`, name, args: input },
    })),
  ];
}

function chunk(reply: Reply, content: JsonObject[], finishReason?: string): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts: content }, finishReason, index: 0 }],
    usageMetadata: usage(reply.usage),
    modelVersion: reply.model,
    responseId: reply.id,
  };
}

// Unlike the other vendors, Google counts thoughts beside the answer and not within it.
function usage({ input, output, cached, reasoning }: Usage): JsonObject {
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + output,
  };
}

const stopReasons: Record<StopReason, string> = {
  end: 'STOP',
  tools: 'STOP',
  max_tokens: 'MAX_TOKENS',
  refusal: 'SAFETY',
};

interface Described {
  code: Failure['status'];
  status: string;
  message: string;
  details?: JsonObject[];
}

const failures: Record<Exclude<FailureKind, 'html502'>, Described> = {
  bad_request: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request contains an invalid argument.',
  },
  auth: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'API key not valid. Please pass a valid API key.',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
      },
    ],
  },
  forbidden: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: 'Your API key does not have permission to use the specified resource.',
  },
  not_found_model: {
    code: 404,
    status: 'NOT_FOUND',
    message:
      'models/{model} is not found for API version v1beta, or is not supported for generateContent.',
  },
  rate_limited: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Resource has been exhausted (e.g. check quota). Please retry in 1s.',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }],
  },
  overloaded: {
    code: 503,
    status: 'UNAVAILABLE',
    message: 'The model is overloaded. Please try again later.',
  },
  quota: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'You exceeded your current quota, please check your plan and billing details.',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }],
      },
    ],
  },
  context_too_long: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message:
      'The input token count (1250000) exceeds the maximum number of tokens allowed (1048576).',
  },
  server_error: {
    code: 500,
    status: 'INTERNAL',
    message: 'An internal error has occurred. Please retry.',
  },
};
