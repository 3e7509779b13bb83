import { randomUUID } from 'node:crypto';
import { BatonError } from '@baton/protocol';
import { z } from 'zod';
import { isFor, NOBODY, type Principal } from '../access/principal.ts';
import { refusal } from '../access/refusal.ts';
import { type CallReport, statusOf } from './call-report.ts';
import type { Call, Connection, Method, ServiceDefinition } from './definition.ts';
import { transportError } from './errors.ts';
import { inputError } from './input-error.ts';

/** Parameters that Feathers passes with a call. */
type CallParams = {
  /** Transport of the call; undefined for internal calls. */
  provider?: string;
  query?: Record<string, unknown>;
  /** Token of the caller. It is verified on each call, because it may have been revoked. */
  token?: string | undefined;
  address?: string;
  connection?: Connection;
  /** The id of the request; each call over a socket gets a new one. */
  requestId?: string;
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

type FeathersMethods = Record<string, (...args: unknown[]) => Promise<unknown>>;

type ServiceHost = {
  /** Renames fields that a caller named in another way than their schema does. */
  named(schema: z.ZodType, value: unknown): unknown;
  whoShows(token: string | undefined): Promise<Principal>;
  /** Told of a call that is checked and allowed, before it acts. */
  onAsked(service: string, call: Call): Promise<void>;
  /** Told of every call when it is over. */
  onCall(report: CallReport): void;
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
        const given: Arguments = { params: {}, ...named };
        const begin = performance.now();
        const report: CallReport = {
          requestId: given.params.requestId ?? randomUUID(),
          service: path,
          method: name,
          status: 'ok',
          durationMs: 0,
          principal: NOBODY,
        };
        try {
          report.principal = await host.whoShows(given.params.token);
          const asked = allowedCall(method, report.principal, given, host);
          await host.onAsked(path, asked);
          const result = await method.act(asked);
          if (method.waits && report.principal.kind === 'user') {
            const principal = await host.whoShows(given.params.token).catch(cannotCheck);
            if (!isFor(method.allow, principal)) throw refusal(principal);
          }
          return result;
        } catch (error) {
          report.status = statusOf(error);
          if (!BatonError.is(error) || error.code === 'internal') report.failure = error;
          throw transportError(error);
        } finally {
          host.onCall({ ...report, durationMs: performance.now() - begin });
        }
      };
      return [name, call];
    }),
  );
}

/** Calls that are pending when the daemon or its database stops are retried later by the client. */
function cannotCheck(cause: unknown): never {
  throw new BatonError('store_unavailable', 'Cannot verify the token right now.', { cause });
}

function allowedCall(
  method: Method,
  principal: Principal,
  { id, data, params }: Arguments,
  { named }: Pick<ServiceHost, 'named'>,
): Call {
  if (!isFor(method.allow, principal)) throw refusal(principal);
  return {
    id: typeof id === 'string' ? id : '',
    data: method.data && checked('data', method.data, named(method.data, data)),
    query: checkedQuery(method.query, params.query ?? {}, named),
    principal,
    provider: params.provider,
    address: params.address,
    connection: params.connection,
  };
}

/** Validates the query. Rejects unknown parameters, because the caller would believe that they apply. */
function checkedQuery(
  schema: z.ZodType | undefined,
  query: Record<string, unknown>,
  named: ServiceHost['named'],
): unknown {
  if (schema) return checked('query', schema, named(schema, query));
  checked('query', NO_QUERY, query);
  return undefined;
}

const NO_QUERY = z.strictObject({});

function checked(what: string, schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw inputError(what, schema, parsed.error);
}
