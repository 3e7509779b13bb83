import type { Audience } from '../access/principal.ts';
import { type JsonSchema, propertiesOf, schemaOfInput, without } from '../schema/json-schema.ts';
import { idName, type Method, type ServiceDefinition } from '../service/definition.ts';

/** HTTP verb, id and status of the standard methods. */
const USUAL: Readonly<Record<string, { verb: Verb; hasId: boolean; status: number }>> = {
  find: { verb: 'get', hasId: false, status: 200 },
  get: { verb: 'get', hasId: true, status: 200 },
  create: { verb: 'post', hasId: false, status: 201 },
  patch: { verb: 'patch', hasId: true, status: 200 },
  remove: { verb: 'delete', hasId: true, status: 200 },
};

type Verb = 'get' | 'post' | 'patch' | 'delete';

/** A method of a service as it is called over HTTP. */
export type Operation = {
  service: string;
  method: string;
  about: string;
  allow: readonly Audience[];
  verb: Verb;
  path: string;
  /** The name of the path parameter, if there is one. */
  id: string | undefined;
  query: JsonSchema | undefined;
  body: JsonSchema | undefined;
  result: Method['result'];
  /** HTTP status of a successful response. */
  status: number;
};

/** Every method of a service as it is called over HTTP. */
export function operationsOf({ path, methods }: ServiceDefinition): Operation[] {
  return Object.entries(methods).map(([name, method]) => operation(path, name, method));
}

function operation(service: string, name: string, method: Method): Operation {
  const { about, allow, result } = method;
  const query = method.query && schemaOfInput(method.query);
  const data = method.data && schemaOfInput(method.data);
  const same = { service, method: name, about, allow, query, result };
  const usual = USUAL[name];
  if (usual) {
    const { verb, hasId, status } = usual;
    const path = hasId ? `/${service}/{id}` : `/${service}`;
    return { ...same, verb, path, id: hasId ? 'id' : undefined, body: data, status };
  }
  const own = idName(service);
  const id = data && own in propertiesOf(data) ? own : undefined;
  const path = id ? `/${service}/{${id}}/${name}` : `/${service}/${name}`;
  const body = data && id ? without(data, id) : data;
  return { ...same, verb: 'post', path, id, body, status: 200 };
}
