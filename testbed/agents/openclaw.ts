import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type JsonObject, parseObject } from '../fake-model/json.ts';
import { openClawFolder } from '../install.mjs';

const PROGRAM = fileURLToPath(new URL('node_modules/openclaw/openclaw.mjs', openClawFolder));
const START_LIMIT_MS = 120_000;
/** The agent of the gateway whose commands need approval. */
export const CAREFUL_AGENT = 'careful';

/** Agents with a provider of their own: the gateway does not use a provider for minutes after some failures. */
export const FAILING_AGENTS = ['failing-1', 'failing-2', 'failing-3'];

/** A real gateway that asks the fake model. It needs 15 to 30 seconds to start, so a suite shares one. */
export class OpenClawGateway {
  readonly url: string;
  readonly token = 'shared-token-of-the-tests';
  /** Folder in which the tools of its agents work. */
  readonly workspace: string;
  #folder: string;
  #port: number;
  #process: ChildProcess | undefined;
  #printed = '';

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.url = `ws://127.0.0.1:${port}`;
    this.workspace = join(folder, 'workspace');
  }

  static async start(model: { url: string }): Promise<OpenClawGateway> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'openclaw-')));
    const gateway = new OpenClawGateway(folder, await freePort());
    for (const name of ['home', 'tmp', 'workspace']) await mkdir(join(folder, name));
    // Once it has seen files in its workspace, the gateway refuses to work in an empty one.
    await writeFile(join(gateway.workspace, 'AGENTS.md'), 'Do what the prompt says.\n');
    await writeFile(gateway.#configPath, JSON.stringify(gateway.#config(model)));
    await gateway.#launch();
    return gateway;
  }

  /** Ends the gateway as a crash does, and everything that it started. */
  async kill(): Promise<void> {
    const { pid } = this.#process ?? {};
    if (pid === undefined) return;
    const exited = once(this.#process as ChildProcess, 'exit');
    this.#process = undefined;
    process.kill(-pid, 'SIGKILL');
    await exited;
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.#launch();
  }

  async close(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A connection with all rights, as its owner has. */
  operator(): Promise<OpenClawOperator> {
    return OpenClawOperator.connect(this);
  }

  get #configPath(): string {
    return join(this.#folder, 'openclaw.json');
  }

  async #launch(): Promise<void> {
    this.#printed = '';
    const child = spawn(process.execPath, [PROGRAM, 'gateway', 'run'], {
      cwd: this.#folder,
      env: this.#environment(),
      // A group of its own, so that its children can be ended with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#printed = (this.#printed + text).slice(-4000);
      });
    }
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`The OpenClaw gateway did not start:\n${this.#printed}`);
      }
      await sleep(200);
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.#port}/readyz`)).ok;
    } catch {
      return false;
    }
  }

  /** Nothing of the tests' own environment: the gateway has switches for tests. */
  #environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '',
      HOME: join(this.#folder, 'home'),
      TMPDIR: join(this.#folder, 'tmp'),
      OPENCLAW_STATE_DIR: join(this.#folder, 'state'),
      OPENCLAW_CONFIG_PATH: this.#configPath,
      OPENCLAW_DISABLE_BONJOUR: '1',
      OPENCLAW_EXEC_SHELL_SNAPSHOT: '0',
      OPENCLAW_NO_RESPAWN: '1',
      OPENCLAW_SKIP_CHANNELS: '1',
      OPENCLAW_SKIP_CRON: '1',
      OPENCLAW_SKIP_GMAIL_WATCHER: '1',
      OPENCLAW_NO_AUTO_UPDATE: '1',
      DO_NOT_TRACK: '1',
      CI: '1',
    };
  }

  #config(model: { url: string }): JsonObject {
    const fake = {
      id: 'fake-model',
      name: 'Fake',
      reasoning: false,
      input: ['text', 'image'],
      cost: { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 },
      contextWindow: 2_000_000,
      maxTokens: 8192,
    };
    const provider = {
      baseUrl: `${model.url}/v1`,
      apiKey: 'fake-key',
      api: 'openai-completions',
      models: [fake],
    };
    return {
      gateway: {
        mode: 'local',
        port: this.#port,
        bind: 'loopback',
        auth: { mode: 'token', token: this.token },
        controlUi: { enabled: false },
        tailscale: { mode: 'off' },
        // A device on the same machine would be admitted without a word.
        nodes: { pairing: { autoApproveLocal: false } },
      },
      discovery: { mdns: { mode: 'off' } },
      update: { checkOnStart: false },
      telemetry: { enabled: false },
      logging: { file: join(this.#folder, 'gateway.log') },
      plugins: { enabled: false },
      agents: {
        defaults: {
          workspace: this.workspace,
          skipBootstrap: true,
          heartbeat: { every: '0m' },
          model: { primary: 'fake/fake-model' },
        },
        list: [
          { id: 'main', default: true },
          {
            id: CAREFUL_AGENT,
            workspace: this.workspace,
            tools: { exec: { mode: 'ask' } },
          },
          ...FAILING_AGENTS.map((id) => ({
            id,
            workspace: this.workspace,
            model: { primary: `${id}/fake-model` },
          })),
        ],
      },
      models: {
        mode: 'replace',
        catalogRefresh: { enabled: false },
        providers: Object.fromEntries(['fake', ...FAILING_AGENTS].map((id) => [id, provider])),
      },
    };
  }
}

/** The owner of a gateway: approves devices, revokes tokens. */
export class OpenClawOperator {
  #socket: WebSocket;
  #count = 0;
  #waiting = new Map<string, (response: JsonObject) => void>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async connect({ url, token }: { url: string; token: string }): Promise<OpenClawOperator> {
    const socket = new WebSocket(url);
    const operator = new OpenClawOperator(socket);
    const challenged = Promise.withResolvers<void>();
    socket.addEventListener('message', ({ data }) => {
      const frame = parseObject(String(data));
      if (frame.event === 'connect.challenge') challenged.resolve();
      const answer = operator.#waiting.get(String(frame.id));
      operator.#waiting.delete(String(frame.id));
      answer?.(frame);
    });
    socket.addEventListener('close', () => challenged.reject(new Error('The gateway is gone.')));
    await challenged.promise;
    await operator.call('connect', {
      minProtocol: 3,
      maxProtocol: 4,
      client: { id: 'gateway-client', version: '1', platform: process.platform, mode: 'backend' },
      role: 'operator',
      scopes: ['operator.admin', 'operator.read', 'operator.write', 'operator.pairing'],
      auth: { token },
    });
    return operator;
  }

  /** Calls a method; throws when the gateway refuses. */
  async call(method: string, params: JsonObject = {}): Promise<JsonObject> {
    this.#count += 1;
    const id = String(this.#count);
    const answer = new Promise<JsonObject>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ type: 'req', id, method, params }));
    const { ok, payload, error } = await answer;
    if (ok !== true) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return payload as JsonObject;
  }

  /** Approves all pending devices. */
  async approveDevices(): Promise<void> {
    const { pending } = (await this.call('device.pair.list')) as { pending: JsonObject[] };
    for (const { requestId } of pending) await this.call('device.pair.approve', { requestId });
  }

  close(): void {
    this.#socket.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
