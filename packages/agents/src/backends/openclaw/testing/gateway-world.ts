import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenClawGateway } from '../../../../../../testbed/agents/openclaw.ts';
import { type FakeModel, startFakeModel } from '../../../../../../testbed/fake-model/index.ts';
import { installAgents, openClawFolder } from '../../../../../../testbed/install.mjs';
import { openClawBackend } from '../../../testing/built-in-backends.ts';

/** A real gateway for one suite, the model behind it, and devices that talk to it. */
export class GatewayWorld {
  readonly model: FakeModel;
  readonly gateway: OpenClawGateway;
  #homes: string[] = [];

  private constructor(model: FakeModel, gateway: OpenClawGateway) {
    this.model = model;
    this.gateway = gateway;
  }

  static async start(): Promise<GatewayWorld> {
    await installAgents(openClawFolder);
    const model = await startFakeModel();
    return new GatewayWorld(model, await OpenClawGateway.start(model));
  }

  get workspace(): string {
    return this.gateway.workspace;
  }

  /** The environment of a device that the gateway does not know yet. */
  newDevice(): Record<string, string> {
    const home = mkdtempSync(join(tmpdir(), 'openclaw-device-'));
    this.#homes.push(home);
    return {
      HOME: home,
      OPENCLAW_GATEWAY_URL: this.gateway.url,
      OPENCLAW_GATEWAY_TOKEN: this.gateway.token,
    };
  }

  /** The environment of a device that the operator has approved. */
  async pairedDevice(): Promise<Record<string, string>> {
    const env = this.newDevice();
    // The request for approval comes with the first connection.
    await openClawBackend().probe({ env });
    await this.approve();
    return env;
  }

  async approve(): Promise<void> {
    const operator = await this.gateway.operator();
    await operator.approveDevices();
    operator.close();
  }

  /** Waits until a run has ended in the gateway. */
  async untilEnded(runId: string): Promise<void> {
    const operator = await this.gateway.operator();
    const { status } = await operator.call('agent.wait', { runId, timeoutMs: 60_000 });
    operator.close();
    if (status !== 'ok') throw new Error(`The run ended as ${String(status)}.`);
  }

  /** Deletes what tests made in the folder of the gateway's tools. Without its own files the gateway refuses to work. */
  clean(): void {
    const made = readdirSync(this.workspace).filter((name) => /\.(?:txt|png)$/.test(name));
    for (const name of made) rmSync(join(this.workspace, name), { force: true });
  }

  async close(): Promise<void> {
    await this.gateway.close();
    await this.model.close();
    for (const home of this.#homes) rmSync(home, { recursive: true, force: true });
  }
}
