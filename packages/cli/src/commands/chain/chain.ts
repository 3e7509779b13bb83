import { BatonError } from '@baton/protocol/values';
import { type Command, settingOption } from '../../arguments/command.ts';
import { FOLDER_OPTION } from '../../remote/with-daemon.ts';

const ACTIONS = ['run', 'list', 'show', 'runs', 'resume', 'stop', 'approve', 'graph'] as const;
export type ChainAction = (typeof ACTIONS)[number];

export const CHAIN_USAGE: Readonly<Record<ChainAction, string>> = {
  run: 'baton chain run NAME [--input KEY=VALUE] [--dry-run]',
  list: 'baton chain list',
  show: 'baton chain show NAME|RUN [STEP]',
  runs: 'baton chain runs',
  resume: 'baton chain resume RUN [--restart]',
  stop: 'baton chain stop RUN',
  approve: 'baton chain approve RUN STEP [--reject] [--comment TEXT]',
  graph: 'baton chain graph NAME|RUN [--format mermaid|svg]',
};

export const chain: Command = {
  name: 'chain',
  summary: 'Run chains of agents, which a file describes.',
  usage: Object.values(CHAIN_USAGE).join('\n       '),
  words: ACTIONS,
  options: {
    file: {
      type: 'string',
      short: 'f',
      value: 'FILE',
      about: 'chains file (default ./chains.json, then forge/orch/chains.json)',
      choices: 'files',
    },
    cwd: {
      type: 'string',
      short: 'C',
      value: 'DIR',
      about: 'folder that the agents work in (default: that of the chains file)',
      choices: 'files',
    },
    input: {
      type: 'string',
      short: 'i',
      value: 'KEY=VALUE',
      multiple: true,
      about: 'run: set an input of the chain',
    },
    'dry-run': { type: 'boolean', about: 'run: check everything and show the plan, start nothing' },
    trust: {
      type: 'boolean',
      about: 'run: allow what the file allows its agents; asked once per content at a terminal',
    },
    restart: {
      type: 'boolean',
      about: 'resume: run failed and interrupted steps again; finished ones never',
    },
    reject: { type: 'boolean', about: 'approve: reject the step' },
    comment: { type: 'string', value: 'TEXT', about: 'approve: a reason, for later steps to read' },
    format: {
      type: 'string',
      value: 'FORMAT',
      about: 'graph: mermaid (the default) or svg',
      choices: ['mermaid', 'svg'],
    },
    json: { type: 'boolean', about: 'print JSON; run and resume print events, one per line' },
    verbose: {
      type: 'boolean',
      short: 'v',
      about: 'log the backend, key options and command of each step',
    },
    daemon: settingOption('daemonUrl', {
      value: 'URL',
      about: 'use a daemon: its URL, or "auto" for the local one',
    }),
    folder: FOLDER_OPTION,
  },
  notes: [
    'RUN is the id of a run, or the beginning of it; "last" is the newest.',
    'Ctrl-C stops every running step; a second Ctrl-C forces it.',
    'Exit codes: 0 done, 1 a step failed, 2 bad file or option, 5 approval needed',
    '            (decide with "baton chain approve", then resume), 124 timeout, 130 stopped.',
  ],
  async run(parsed, baton) {
    const [word = 'list', ...words] = parsed.positionals;
    const action = ACTIONS.find((each) => each === word);
    if (!action) {
      throw new BatonError('usage', `Unknown action "${word}".`, {
        hint: `Actions: ${ACTIONS.join(', ')}. See "baton chain --help".`,
      });
    }
    const { runChainAction } = await import('./run-chain-action.ts');
    return runChainAction({ command: chain, parsed, baton }, action, words);
  },
};
