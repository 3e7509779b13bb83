import { VERSION } from '@baton/protocol';
import manifest from '../../package.json' with { type: 'json' };
import {
  type JsonSchema,
  propertiesOf,
  requiredOf,
  schemaOfResult,
} from '../schema/json-schema.ts';
import type { ServiceDefinition } from '../service/definition.ts';
import { type Operation, operationsOf } from './operation.ts';

const ERROR: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    code: { type: 'integer', description: 'The HTTP status.' },
    message: { type: 'string' },
    data: {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'A Baton error code, such as not_found.' },
        hint: { type: 'string', description: 'What to do about it.' },
        retryable: { type: 'boolean' },
      },
      required: ['code', 'hint', 'retryable'],
    },
  },
  required: ['name', 'code', 'message', 'data'],
};

/** Describes services in the form of OpenAPI 3.1. */
export function openApiDocument(services: readonly ServiceDefinition[]) {
  const parts = new Map<string, JsonSchema>([['Error', ERROR]]);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of services.flatMap(operationsOf)) {
    const { path, verb } = operation;
    paths[path] = { ...paths[path], [verb]: described(operation, parts) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Baton',
      version: VERSION,
      description:
        'Durable sessions of coding agents. All methods are also available over WebSocket (Socket.IO).',
      license: { name: manifest.license, identifier: manifest.license },
    },
    tags: services.map(({ path, about }) => ({ name: path, description: about })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries([...parts].sort(([a], [b]) => a.localeCompare(b))),
    },
  };
}

function described(operation: Operation, parts: Map<string, JsonSchema>) {
  const { service, method, about, allow, body, result, status } = operation;
  const answer = { schema: schemaOfResult(result, parts) };
  return {
    operationId: `${service}.${method}`,
    tags: [service],
    summary: about,
    'x-allow': allow,
    ...(allow.includes('anyone') ? { security: [] } : {}),
    parameters: [...idParameter(operation), ...queryParameters(operation)],
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } }
      : {}),
    responses: {
      [status]: { description: 'Success.', content: { 'application/json': answer } },
      default: {
        description: 'Error.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function idParameter({ id }: Operation): object[] {
  if (id === undefined) return [];
  return [{ name: id, in: 'path', required: true, schema: { type: 'string' } }];
}

function queryParameters({ query }: Operation): object[] {
  if (!query) return [];
  const required = requiredOf(query);
  return Object.entries(propertiesOf(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}
