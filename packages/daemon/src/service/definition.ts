import type { Readable } from 'node:stream';
import type { MethodName, MethodWire, ServiceName } from '@baton/protocol/wire';
import type { z } from 'zod';
import type { Audience, Principal } from '../access/principal.ts';

/** A live connection, by the object that Feathers knows it by. */
export type Connection = object;

/** One call of a method, checked and allowed. */
export type Call<Data = unknown, Query = unknown> = {
  /** Of the record that the call is about, where there is one. */
  id: string;
  data: Data;
  query: Query;
  principal: Principal;
  /** How the call came: `rest`, `socketio`, or nothing for calls from inside. */
  provider?: string | undefined;
  /** The address of the caller; nothing for calls from inside. */
  address?: string | undefined;
  connection?: Connection | undefined;
};

/** One method of a service. */
export type Method = MethodWire & {
  /** What it does, for the documentation. */
  about: string;
  /** Who may call it; everyone else is rejected. */
  allow: readonly Audience[];
  /** How large its data may be, when that is more or less than usual. */
  maxBytes?: number;
  /** It may wait for long. The token of a user is then checked again: it may have been revoked meanwhile. */
  waits?: boolean;
  act(call: Call): Promise<unknown>;
};

/** A service: everything that it can do, and nothing that is not said here. */
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
 * Says what a method does. Its data and query have the types of the wire, and its result must fit the wire; a stream
 * gives
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

/** What the id in the path of a custom method is called in its data: `session_id` for `sessions`, `chain_run_id` for `chain-runs`. */
export function idName(service: string): string {
  return `${service.replace(/s$/, '').replaceAll('-', '_')}_id`;
}
