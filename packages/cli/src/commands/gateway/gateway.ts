import { BatonError } from '@baton/protocol/values';
import { type Command, settingOption } from '../../arguments/command.ts';
import { FOLDER_OPTION } from '../../remote/with-daemon.ts';

const ACTIONS = ['run', 'init', 'check'] as const;

export const gateway: Command = {
  name: 'gateway',
  summary: 'Talk to agents in chat: Discord, this terminal, and signed webhooks.',
  usage: [
    'baton gateway [run] [--terminal] [--daemon URL]',
    'baton gateway init [--user ID] [--server ID] [--channel ID]',
    'baton gateway check [--json]',
  ].join('\n       '),
  words: ACTIONS,
  startsAgents: true,
  options: {
    terminal: { type: 'boolean', about: 'run: talk in this terminal only' },
    backend: settingOption('backend', {
      short: 'b',
      value: 'NAME',
      about: 'agent that answers',
      choices: 'backends',
    }),
    model: settingOption('model', { short: 'm', value: 'NAME' }),
    'permission-mode': settingOption('permissionMode', {
      value: 'MODE',
      choices: ['ask', 'auto', 'allow-all'],
    }),
    cwd: settingOption('gatewayWorkingDir', {
      short: 'C',
      value: 'DIR',
      about: 'folder in which the agent works (the current one)',
      choices: 'files',
    }),
    user: {
      type: 'string',
      value: 'ID',
      multiple: true,
      about: 'init: allow a user, such as discord:1234',
    },
    server: {
      type: 'string',
      value: 'ID',
      multiple: true,
      about: 'init: allow all channels of a Discord server',
    },
    channel: { type: 'string', value: 'ID', multiple: true, about: 'init: allow a channel' },
    data: {
      type: 'string',
      value: 'DIR',
      about: 'folder for stored messages (in ~/.baton/gateway; one per workspace with --terminal)',
      choices: 'files',
    },
    json: { type: 'boolean', about: 'check: print JSON' },
    verbose: { type: 'boolean', short: 'v', about: 'run: log more than warnings at a terminal' },
    daemon: settingOption('daemonUrl', {
      value: 'URL',
      about: 'run agents in a daemon: its URL, or "auto" for the local one',
    }),
    folder: FOLDER_OPTION,
  },
  notes: [
    'Secrets come from the environment, from files (NAME_FILE), or from "baton gateway init":',
    '  BATON_DISCORD_TOKEN            token of the Discord bot',
    '  BATON_GATEWAY_WEBHOOK_SECRET   signs messages; BATON_GATEWAY_WEBHOOK_PORT opens the webhook',
    '  BATON_GATEWAY_PRESS_SECRET     signs presses, which approve what an agent asks for',
    'Only users on the allow-list get an answer: BATON_GATEWAY_USERS=discord:1234',
    'Ctrl-C stops running agents and sends the last replies. Waiting messages are kept.',
    'Try it: baton gateway --terminal --backend demo',
  ],
  async run(parsed, baton) {
    const [word = 'run', ...rest] = parsed.positionals;
    const action = ACTIONS.find((each) => each === word);
    if (!action || rest.length > 0) {
      throw new BatonError('usage', `Unknown action "${rest[0] ?? word}".`, {
        hint: `Actions: ${ACTIONS.join(', ')}. See "baton gateway --help".`,
      });
    }
    if (action === 'init') {
      return (await import('./init-gateway.ts')).initGateway(parsed, baton);
    }
    if (action === 'check') {
      return (await import('./check-gateway.ts')).checkGateway(gateway, parsed, baton);
    }
    const { runGateway } = await import('./run-gateway.ts');
    // discord.js does not close a connection that it is about to open, which would keep the process alive.
    return process.exit(await runGateway(gateway, parsed, baton));
  },
};
