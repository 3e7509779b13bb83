import type { Baton } from '@baton/agents/registry/baton';
import { RemoteHost } from '@baton/client';
import {
  allAgents,
  ChannelAgents,
  type CheckResult,
  checkDiscord,
  type GatewayConfig,
  type LoadedConfig,
  localAgents,
  signWebhook,
} from '@baton/gateway';
import { BatonError } from '@baton/protocol/values';
import { type Command, isSet, type Parsed } from '../../arguments/command.ts';
import { EXIT } from '../../exit-codes.ts';
import { withDaemon } from '../../remote/with-daemon.ts';
import { oneLine, style } from '../../view/style.ts';
import { checkFolders, gatewayConfig, usesDaemon } from './gateway-setup.ts';

type Webhook = NonNullable<GatewayConfig['webhook']>;

const out = process.stdout;
const PLACE_VARIABLES =
  'BATON_GATEWAY_GUILDS, BATON_GATEWAY_CHANNELS or BATON_GATEWAY_DIRECT_MESSAGES';

/** Checks everything that the gateway needs, without sending or starting anything; exit code 1 if something fails. */
export async function checkGateway(
  command: Command,
  parsed: Parsed,
  baton: Baton,
): Promise<number> {
  const checks = await allChecks(command, parsed, baton);
  const hasFailed = checks.some(({ ok }) => !ok);
  if (isSet(parsed, 'json')) out.write(`${JSON.stringify({ ok: !hasFailed, checks }, null, 2)}\n`);
  else for (const check of checks) out.write(lineOf(check));
  return hasFailed ? EXIT.failed : EXIT.done;
}

async function allChecks(command: Command, parsed: Parsed, baton: Baton): Promise<CheckResult[]> {
  const loaded = await attempt('Configuration', async () => gatewayConfig(command, parsed, baton));
  if ('failure' in loaded) return [loaded.failure];
  const { config, warnings } = loaded.value;
  const { access, discord, webhook } = config;
  const agent = await agentCheck(command, parsed, baton, loaded.value);
  const checks: CheckResult[] = [
    await configurationCheck(loaded.value, parsed),
    ...warnings.map((detail) => ({ name: 'Warning', ok: true, isWarning: true, detail })),
    agent,
  ];
  if (discord) {
    const { channels, guilds } = access;
    const found = await attempt('Discord', () => checkDiscord({ ...discord, channels, guilds }));
    checks.push(...('failure' in found ? [found.failure] : found.value));
  }
  if (webhook) checks.push(await webhookCheck(webhook));
  if (!discord && !webhook) {
    checks.push({
      name: 'Platforms',
      ok: false,
      detail: 'The gateway has nothing to connect to.',
      hint: 'Run "baton gateway init", set BATON_DISCORD_TOKEN, or use --terminal.',
    });
  }
  return checks;
}

async function configurationCheck({ config }: LoadedConfig, parsed: Parsed): Promise<CheckResult> {
  const { permissionMode, access, workingDir } = config;
  const { users, guilds, channels } = access;
  const folders = await attempt('Configuration', async () => checkFolders(config, parsed));
  if ('failure' in folders) return folders.failure;
  const allowed = [
    counted(users.length, 'user'),
    counted(guilds.length, 'server'),
    counted(channels.length, 'channel'),
  ].join(', ');
  const detail = `Permission mode ${permissionMode} in ${workingDir}; allowed: ${allowed}.`;
  const hasPlace = guilds.length > 0 || channels.length > 0 || access.directMessages;
  const missing = [
    ...(users.length > 0 ? [] : ['BATON_GATEWAY_USERS']),
    ...(hasPlace ? [] : [PLACE_VARIABLES]),
  ];
  if (missing.length === 0) return { name: 'Configuration', ok: true, detail };
  return {
    name: 'Configuration',
    ok: false,
    detail: `${detail} Nobody would get an answer.`,
    hint: `Set ${missing.join(', and ')}.`,
  };
}

async function webhookCheck({ port, secret }: Webhook): Promise<CheckResult> {
  const signed = await attempt('Webhook', async () =>
    signWebhook(secret, { timestamp: '0', body: '' }),
  );
  return 'failure' in signed
    ? signed.failure
    : { name: 'Webhook', ok: true, detail: `Port ${port}.` };
}

async function agentCheck(
  command: Command,
  parsed: Parsed,
  baton: Baton,
  loaded: LoadedConfig,
): Promise<CheckResult> {
  const { config } = loaded;
  const { agentBackend: backend } = config;
  const log = { warn: () => {} };
  const checked = await attempt('Agent', async () => {
    if (!usesDaemon(parsed)) return localAgents(baton, loaded, log).validate(backend);
    const list = allAgents(baton.registry);
    return withDaemon(command, parsed, (client) =>
      new ChannelAgents({ host: new RemoteHost(client), list, config, log }).validate(backend),
    );
  });
  if ('failure' in checked) return checked.failure;
  const { isInstalled, path } = checked.value;
  const detail = `${backend} (${path})`;
  if (isInstalled) return { name: 'Agent', ok: true, detail };
  return {
    name: 'Agent',
    ok: false,
    detail: `${detail} was not found or is not executable.`,
    hint: `Install it with "baton backends install ${backend}", or set BACKEND_CLI_PATH.`,
  };
}

async function attempt<Value>(
  name: string,
  act: () => Promise<Value>,
): Promise<{ value: Value } | { failure: CheckResult }> {
  try {
    return { value: await act() };
  } catch (error) {
    if (!BatonError.is(error)) throw error;
    return { failure: { name, ok: false, detail: error.message, hint: error.hint } };
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function signOf({ ok, isWarning = false }: CheckResult): string {
  if (!ok) return style(out, 'red', '✗');
  return isWarning ? style(out, 'yellow', '!') : style(out, 'green', '✓');
}

function lineOf(check: CheckResult): string {
  const { name, ok, detail, hint } = check;
  const sign = signOf(check);
  const line = `${sign} ${style(out, 'bold', oneLine(name, 60))}: ${oneLine(detail, 400)}\n`;
  return ok || hint === undefined ? line : `${line}  ${oneLine(hint, 400)}\n`;
}
