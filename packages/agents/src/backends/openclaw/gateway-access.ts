import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { object, parseJson, string } from '@baton/config/values/json';
import type { Surroundings } from '@baton/engine/definition/backend-entry';
import { BatonError } from '@baton/protocol/values';

type Environment = Surroundings['env'];

/** Address and credentials of a gateway. */
export type GatewayAccess = {
  url: string;
  token?: string | undefined;
  password?: string | undefined;
  /** Source of the token or password. */
  source?: string | undefined;
};

const DEFAULT_AGENT = 'main';

/** The variables that hold secrets. */
export const SECRET_VARIABLES = [
  'OPENCLAW_GATEWAY_TOKEN',
  'OPENCLAW_GATEWAY_PASSWORD',
  'BATON_OPENCLAW_TOKEN',
  'BATON_OPENCLAW_PASSWORD',
];

/** The agent of the gateway that runs prompts. */
export function agentIdOf(env: Environment): string {
  return (env.OPENCLAW_AGENT_ID?.trim() || DEFAULT_AGENT).toLowerCase();
}

/** Finds the address of the gateway and the shared secret for it; throws when there is no address. */
export function gatewayAccess({ env, home }: Pick<Surroundings, 'env' | 'home'>): GatewayAccess {
  const url = gatewayUrl(env.OPENCLAW_GATEWAY_URL?.trim());
  const token = env.OPENCLAW_GATEWAY_TOKEN?.trim() || undefined;
  const password = env.OPENCLAW_GATEWAY_PASSWORD || undefined;
  if (token) return { url, token, password, source: 'OPENCLAW_GATEWAY_TOKEN' };
  if (password) return { url, password, source: 'OPENCLAW_GATEWAY_PASSWORD' };
  // The secret of the gateway on this machine must not leave it.
  if (!isLoopback(url)) return { url };
  return { url, ...configuredSecret(env, home) };
}

/** True if an address leads only to this machine. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

/** True if secrets would travel over a network unencrypted. */
export function isExposed(url: string): boolean {
  return url.startsWith('ws:') && !isLoopback(url);
}

function gatewayUrl(given: string | undefined): string {
  if (!given) {
    throw new BatonError('backend_not_found', 'No OpenClaw gateway is configured.', {
      hint: 'Set OPENCLAW_GATEWAY_URL, for example to ws://127.0.0.1:18789.',
    });
  }
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const protocol = url && PROTOCOLS[url.protocol];
  if (!url?.hostname || !protocol) {
    throw new BatonError('config_invalid', 'OPENCLAW_GATEWAY_URL is not a WebSocket address.', {
      hint: 'Use an address like ws://127.0.0.1:18789 or wss://gateway.example.com.',
    });
  }
  return url.href.replace(url.protocol, protocol);
}

const PROTOCOLS: Readonly<Record<string, string>> = {
  'ws:': 'ws:',
  'wss:': 'wss:',
  'http:': 'ws:',
  'https:': 'wss:',
};

/** The secret in the configuration of the gateway on this machine. */
function configuredSecret(env: Environment, home: string): Omit<GatewayAccess, 'url'> {
  const path =
    env.OPENCLAW_CONFIG_PATH ||
    join(env.OPENCLAW_STATE_DIR || join(home, '.openclaw'), 'openclaw.json');
  const { auth, remote } = object(object(readRelaxedJson(path)).gateway);
  const { mode, token, password } = object(auth);
  if (mode === 'password') {
    const found = plain(password);
    return found ? { password: found, source: path } : {};
  }
  const found = plain(token) ?? plain(object(remote).token);
  return found ? { token: found, source: path } : {};
}

/** A value that is written out; a reference to a variable or to a secret store is none. */
function plain(value: unknown): string | undefined {
  const text = string(value)?.trim();
  return text && !text.includes('${') ? text : undefined;
}

/** Reads JSON that people write: with comments, trailing commas, bare keys and single quotes. */
function readRelaxedJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  const strict = text
    .replaceAll(RELAXED, (match, bare?: string, single?: string) => {
      if (bare !== undefined) return JSON.stringify(bare);
      if (single !== undefined) return JSON.stringify(single.replaceAll(/\\(.)/g, '$1'));
      return match.startsWith('/') ? ' ' : match;
    })
    .replaceAll(TRAILING_COMMA, (match) => (match.startsWith(',') ? '' : match));
  return parseJson(strict);
}

const RELAXED =
  /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|([A-Za-z_$][\w$]*)(?=\s*:)|'((?:\\.|[^'\\])*)'/g;
const TRAILING_COMMA = /"(?:\\.|[^"\\])*"|,(?=\s*[}\]])/g;
