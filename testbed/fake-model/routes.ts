import { anthropic, countTokens as countAnthropic } from './anthropic.ts';
import { chat } from './chat.ts';
import type { Dialect } from './dialect.ts';
import { countTokens as countGemini, gemini } from './gemini.ts';
import type { JsonObject } from './json.ts';
import { responses } from './responses.ts';

export type Api = 'anthropic' | 'responses' | 'chat' | 'gemini';

/** Handler of a path: a turn of the model, or a fixed reply. */
export type Route =
  | { api: Api; dialect: Dialect }
  | { api: Api | undefined; reply: (body: JsonObject) => JsonObject };

/** The route of a request, or undefined when no API has it. */
export function findRoute(method: string, path: string): Route | undefined {
  return routes.find((route) => route.method === method && route.path.test(path));
}

const routes: (Route & { method: string; path: RegExp })[] = [
  { method: 'POST', path: /^\/v1\/messages$/, api: 'anthropic', dialect: anthropic },
  {
    method: 'POST',
    path: /^\/v1\/messages\/count_tokens$/,
    api: 'anthropic',
    reply: countAnthropic,
  },
  { method: 'POST', path: /^\/v1\/responses$/, api: 'responses', dialect: responses },
  { method: 'POST', path: /^\/v1\/chat\/completions$/, api: 'chat', dialect: chat },
  {
    method: 'POST',
    path: /^\/v1beta\/models\/[^/]+:(generateContent|streamGenerateContent)$/,
    api: 'gemini',
    dialect: gemini,
  },
  {
    method: 'POST',
    path: /^\/v1beta\/models\/[^/]+:countTokens$/,
    api: 'gemini',
    reply: countGemini,
  },
  { method: 'GET', path: /^\/v1\/models$/, api: 'responses', reply: listModels },
  // Claude Code warms up its connection with this.
  { method: 'HEAD', path: /^\/$/, api: undefined, reply: () => ({}) },
];

function listModels(): JsonObject {
  const model = { id: 'fake-model', object: 'model', created: 0, owned_by: 'fake' };
  return { object: 'list', data: [model] };
}
