import type { Readable } from 'node:stream';
import type { MethodName, MethodWire, ServiceName } from '@baton/protocol/wire';
import type { z } from 'zod';
import type { Audience, Principal } from '../access/principal.ts';

/** A live connection, by the object that Feathers knows it by. */
export type Connection = object;

/** One call of a method, checked and allowed. */
export type Call<Data = unknown, Query = unknown> = {
  /** The id of the record, if the call is about one. */
  id: string;
  data: Data;
  query: Query;
  principal: Principal;
  /** Transport of the call: `rest`, `socketio`, or undefined for internal calls. */
  provider?: string | undefined;
  /** The address of the caller; undefined for internal calls. */
  address?: string | undefined;
  connection?: Connection | undefined;
};

/** One method of a service. */
export type Method = MethodWire & {
  /** Description for the documentation. */
  about: string;
  /** Callers that are allowed; all others are rejected. */
  allow: readonly Audience[];
  /** Size limit of the data, if it differs from the default. */
  maxBytes?: number;
  /**
   * True if the method may wait for long. The user's token is then checked again: it may have been revoked meanwhile.
   */
  waits?: boolean;
  act(call: Call): Promise<unknown>;
};

/** A service with all of its methods. */
export type ServiceDefinition = {
  /** Its name, which is also its path. */
  path: string;
  about: string;
  methods: Readonly<Record<string, Method>>;
  /** The custom events that it may send to connections. */
  events?: readonly string[];
};

/** A service with every method that the wire has for it, and no others. */
export type ServiceOf<Name extends ServiceName> = ServiceDefinition & {
  path: Name;
  methods: Readonly<Record<MethodName<Name>, Method>>;
};

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * Defines a method. Its data and query have the types of the wire, and its result must match the wire; a stream yields
 * the JSON text of a result part by part.
 */
export function method<const Wire extends MethodWire>(
  wire: Wire,
  definition: Pick<Method, 'about' | 'allow' | 'maxBytes' | 'waits'> & {
    act(
      call: Call<Parsed<Wire['data']>, Parsed<Wire['query']>>,
    ): Promise<z.output<Wire['result']> | Readable>;
  },
): Method {
  return { ...wire, ...definition } as unknown as Method;
}

/**
 * Returns the name that the id in the path of a custom method has in its data: `session_id` for `sessions`,
 * `chain_run_id` for `chain-runs`.
 */
export function idName(service: string): string {
  return `${service.replace(/s$/, '').replaceAll('-', '_')}_id`;
}
