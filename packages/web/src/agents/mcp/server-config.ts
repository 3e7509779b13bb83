import { codecFor } from '../form/codecs.ts';

/** The form fields of a server. */
export type ServerFields = {
  kind: 'stdio' | 'http' | 'sse';
  command: string;
  args: string;
  env: string;
  url: string;
  headers: string;
};

/** Configuration of a server in the API. */
type ServerConfig = Record<string, unknown> & ({ command: string } | { url: string });

const LINES = codecFor({ type: 'array', items: { type: 'string' } });
const PAIRS = codecFor({ type: 'object', additionalProperties: { type: 'string' } });
const KNOWN = ['command', 'args', 'env', 'url', 'type', 'headers'];

/** Converts a configuration to form fields. */
export function fieldsOf(config: Readonly<Record<string, unknown>> = {}): ServerFields {
  const pairs = (value: unknown) => (value ? PAIRS.write(value) : '');
  return {
    kind: config.url === undefined ? 'stdio' : config.type === 'sse' ? 'sse' : 'http',
    command: String(config.command ?? ''),
    args: Array.isArray(config.args) && config.args.length > 0 ? LINES.write(config.args) : '',
    env: pairs(config.env),
    url: String(config.url ?? ''),
    headers: pairs(config.headers),
  };
}

/** Converts form fields to a configuration; fields of the previous one that the form does not show are kept. */
export function configOf(
  fields: ServerFields,
  before: Readonly<Record<string, unknown>> = {},
): ServerConfig {
  const others = Object.fromEntries(
    Object.entries(before).filter(([name]) => !KNOWN.includes(name)),
  );
  if (fields.kind === 'stdio') {
    return {
      ...others,
      command: fields.command.trim(),
      ...part('args', LINES.read(fields.args)),
      ...part('env', PAIRS.read(fields.env)),
    };
  }
  const isTold = fields.kind === 'sse' || before.type !== undefined;
  return {
    ...others,
    url: fields.url.trim(),
    ...(isTold ? { type: fields.kind } : {}),
    ...part('headers', PAIRS.read(fields.headers)),
  };
}

function part(name: string, read: ReturnType<typeof PAIRS.read>): Record<string, unknown> {
  if ('mistake' in read && read.mistake !== undefined) throw new Error(read.mistake);
  const { value } = read as { value: unknown };
  return Object.keys(value as object).length === 0 ? {} : { [name]: value };
}
