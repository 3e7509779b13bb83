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
export type Method = {
  /** What it does, for the documentation. */
  about: string;
  /** Whom it is for; nobody else may call it. */
  allow: readonly Audience[];
  data?: z.ZodType;
  query?: z.ZodType;
  /** How large its data may be, when that is more or less than usual. */
  maxBytes?: number;
  /** What it gives, for the documentation. */
  result?: z.ZodType;
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
  /** Events of its own that it may send to connections. */
  events?: readonly string[];
};

/** Says what a method does, with the types of its data and its query. */
export function method<
  Data extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
>(definition: {
  about: string;
  allow: readonly Audience[];
  data?: Data;
  query?: Query;
  maxBytes?: number;
  result?: z.ZodType;
  waits?: boolean;
  act(call: Call<z.output<Data>, z.output<Query>>): Promise<unknown>;
}): Method {
  return definition as unknown as Method;
}
