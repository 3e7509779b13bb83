import type { DataOf, MethodName, QueryOf, ResultOf, ServiceName } from '@baton/protocol/wire';

/** The arguments of the methods that Feathers knows; every other method takes its data. */
type Arguments<
  Service extends ServiceName,
  Method extends MethodName<Service>,
> = Method extends 'find'
  ? [query: QueryOf<Service, Method>]
  : Method extends 'get'
    ? [id: string, query?: QueryOf<Service, Method>]
    : Method extends 'patch'
      ? [id: string, data: DataOf<Service, Method>]
      : Method extends 'remove'
        ? [id: string]
        : [data: DataOf<Service, Method>];

/** Calls a method of a service, with the types of the wire. */
export type Call = <Service extends ServiceName, Method extends MethodName<Service>>(
  service: Service,
  method: Method,
  ...args: Arguments<Service, Method>
) => Promise<ResultOf<Service, Method>>;
