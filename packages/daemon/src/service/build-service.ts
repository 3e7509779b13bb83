import { BatonError } from '@baton/protocol';
import type { z } from 'zod';
import { isFor, type Principal } from '../access/principal.ts';
import type { Call, Connection, Method, ServiceDefinition } from './definition.ts';
import { inputError, transportError } from './errors.ts';

/** What Feathers gives along with a call. */
export type CallParams = {
  /** How it came; nothing for calls from inside. */
  provider?: string;
  query?: Record<string, unknown>;
  /** What the caller showed; it is looked at anew with each call, because it may have been revoked. */
  token?: string | undefined;
  address?: string;
  connection?: Connection;
};

type Arguments = { id?: unknown; data?: unknown; params: CallParams };

/** The arguments that Feathers calls its own methods with; all others get data and params. */
const ARGUMENTS: Readonly<Record<string, readonly (keyof Arguments)[]>> = {
  find: ['params'],
  get: ['id', 'params'],
  create: ['data', 'params'],
  update: ['id', 'data', 'params'],
  patch: ['id', 'data', 'params'],
  remove: ['id', 'params'],
};
const CUSTOM: readonly (keyof Arguments)[] = ['data', 'params'];

export type FeathersMethods = Record<string, (...args: unknown[]) => Promise<unknown>>;

export type ServiceHost = {
  whoShows(token: string | undefined): Promise<Principal>;
  /** Told of failures that are nobody's mistake but ours. */
  onFailure(error: unknown, where: { service: string; method: string }): void;
};

/** Makes a Feathers service of a definition: every call is allowed and checked before anything happens. */
export function buildService(
  { path, methods }: ServiceDefinition,
  host: ServiceHost,
): FeathersMethods {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => {
      const order = ARGUMENTS[name] ?? CUSTOM;
      const call = async (...args: unknown[]): Promise<unknown> => {
        const named = Object.fromEntries(order.map((key, index) => [key, args[index]]));
        try {
          return await perform(method, host, { params: {}, ...named });
        } catch (error) {
          if (!BatonError.is(error) || error.code === 'internal') {
            host.onFailure(error, { service: path, method: name });
          }
          throw transportError(error);
        }
      };
      return [name, call];
    }),
  );
}

async function perform(
  method: Method,
  host: ServiceHost,
  { id, data, params = {} }: Arguments,
): Promise<unknown> {
  const principal = await host.whoShows(params.token);
  if (!isFor(method.allow, principal)) throw refusal(principal);
  const call: Call = {
    id: typeof id === 'string' ? id : '',
    data: checked('data', method.data, data),
    query: checked('query', method.query, params.query ?? {}),
    principal,
    address: params.address,
    connection: params.connection,
  };
  return method.act(call);
}

function checked(what: string, schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw inputError(what, parsed.error);
}

function refusal(principal: Principal): BatonError {
  return principal.kind === 'nobody'
    ? new BatonError('unauthenticated', 'Log in first, or give a token.')
    : new BatonError('forbidden', 'You may not do this.');
}
