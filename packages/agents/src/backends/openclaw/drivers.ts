import { homeFolder } from '@baton/config/paths/home-folder';
import { object, parseJson, string } from '@baton/config/values/json';
import type { Surroundings } from '@baton/engine/definition/backend-entry';
import {
  type ConnectionDriver,
  DEFAULT_STOP,
  type ResolvedOptions,
} from '@baton/engine/definition/driver';
import { readImage } from '@baton/engine/kit/image-file';
import { agentWarning } from '@baton/engine/kit/notices';
import { BatonError } from '@baton/protocol/values';
import { DeviceStore } from './device-store.ts';
import { OpenClawDialect, type OpenClawSession } from './dialect.ts';
import { agentIdOf, gatewayAccess, isExposed } from './gateway-access.ts';
import { GATEWAY_TIMES, type GatewayTimes, gatewayChannel } from './gateway-channel.ts';
import { LABEL } from './handshake.ts';

/** Milliseconds that the gateway may take to answer a ping. */
const PING_MS = 10_000;

/** The pause before the gateway is asked again for the response of a run that has ended. */
const ASK_AGAIN_MS = 250;

const ELSEWHERE = `${LABEL} works in the workspace of its gateway, not in this folder.`;

/** The WebSocket of a gateway. */
export function liveDriver(times: GatewayTimes = GATEWAY_TIMES): ConnectionDriver {
  return {
    transport: 'live',
    keepsProcess: true,
    // From the abort to the end of the run: 0.2 to 1.8 seconds; a lost connection is restored meanwhile.
    stop: { ...DEFAULT_STOP, interruptMs: 10_000 },
    connect: async ({ options, onMessage, onClose, signal }) => {
      const around = surroundings(options);
      return gatewayChannel({
        access: gatewayAccess(around),
        store: new DeviceStore(around.home),
        times,
        onMessage,
        onClose,
        signal,
      });
    },
    dialect: (out, { options, resume }) => {
      const { url } = gatewayAccess(surroundings(options));
      if (isExposed(url)) out.emit(agentWarning(exposedWords(url)));
      out.emit({ type: 'notice', level: 'info', code: 'option_ignored', message: ELSEWHERE });
      return new OpenClawDialect(out, sessionOf(options, resume));
    },
  };
}

/** Connects to the gateway and asks for its health; throws when it cannot be used. */
export async function pingGateway(
  around: Surroundings,
): Promise<{ path: string; version?: string }> {
  const access = gatewayAccess(around);
  const answer = Promise.withResolvers<void>();
  let version: string | undefined;
  const channel = await gatewayChannel({
    access,
    store: new DeviceStore(around.home),
    times: { ...GATEWAY_TIMES, handshakeMs: PING_MS, startMs: PING_MS, reconnectMs: 0 },
    signal: AbortSignal.timeout(PING_MS),
    onMessage: (message) => {
      const { id, ok, payload, connection, error } = object(parseJson(message));
      version ??= string(object(object(payload).server).version);
      const reason = string(object(error).message) ?? 'the connection was lost';
      if (id === 'health' && ok === true) answer.resolve();
      else if (id === 'health' || connection !== undefined) answer.reject(unhealthy(reason));
    },
    onClose: (reason) => answer.reject(unhealthy(reason ?? 'it closed the connection')),
  });
  try {
    const timer = setTimeout(() => answer.reject(unhealthy('it did not answer')), PING_MS);
    channel.send(JSON.stringify({ type: 'req', id: 'health', method: 'health', params: {} }));
    await answer.promise.finally(() => clearTimeout(timer));
  } finally {
    channel.close();
  }
  return { path: access.url, ...(version === undefined ? {} : { version }) };
}

function unhealthy(reason: string): BatonError {
  return new BatonError('network_unreachable', `The ${LABEL} gateway is not healthy: ${reason}`);
}

/** The conversation that the prompts of a run belong to. */
export function sessionOf(options: ResolvedOptions, resume: string | undefined): OpenClawSession {
  const given = string(options.providerOptions?.sessionKey);
  const fresh = `agent:${agentIdOf(options.env)}:baton:${crypto.randomUUID()}`;
  return {
    sessionKey: (resume ?? given ?? fresh).toLowerCase(),
    mustExist: resume !== undefined && resume !== given,
    systemPrompt: options.systemPrompt,
    readImage: (image) => readImage(image, options.cwd),
    later: (act) => void setTimeout(act, ASK_AGAIN_MS).unref(),
  };
}

/** Rejects contradictory options. */
export function checkOptions({ resume, providerOptions }: ResolvedOptions): void {
  if (resume === undefined || providerOptions?.sessionKey === undefined) return;
  throw new BatonError('usage', 'resume and providerOptions.sessionKey both name a session.', {
    hint: 'Omit one of them.',
  });
}

function surroundings({ env, cwd }: Pick<ResolvedOptions, 'env' | 'cwd'>): Surroundings {
  return { env, cwd, home: env.HOME || homeFolder() };
}

function exposedWords(url: string): string {
  const { host } = new URL(url);
  return `The connection to ${host} is not encrypted: others in the network can read prompts, answers and tokens. Use wss://.`;
}
