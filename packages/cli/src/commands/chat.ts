import { resolve } from 'node:path';
import { loadSettings } from '@baton/config/settings';
import { EmbeddedHost } from '@baton/host';
import { BatonError, type WorkspaceRequest } from '@baton/protocol/values';
import { type Command, settingFlags, textOf } from '../arguments/command.ts';
import { WORKSPACE_OPTIONS, workspaceOptions } from '../arguments/workspace-options.ts';
import { chosenBackend } from '../run/choose-backend.ts';
import { dropUnsupportedSettings } from '../run/drop-unsupported-settings.ts';
import { explained } from '../run/explain-error.ts';
import { workspaceWords } from '../run/workspace-words.ts';
import { AGENT_OPTIONS, agentOptions } from './run-options.ts';

export const chat: Command = {
  name: 'chat',
  summary: "Open the agent's own interface in this terminal.",
  usage: 'baton chat [options] ["first prompt"]',
  promptAfter: 'baton chat',
  options: { ...AGENT_OPTIONS, ...WORKSPACE_OPTIONS },
  async run(parsed, baton) {
    const settings = loadSettings({
      program: 'baton',
      cwd: textOf(parsed, 'cwd'),
      flags: settingFlags(chat, parsed),
    });
    const warn = (warning: string) => void process.stderr.write(`warning: ${warning}\n`);
    for (const warning of settings.warnings) warn(warning);
    const backend = await chosenBackend(baton, settings);
    const asked = agentOptions(parsed, settings);
    const options = dropUnsupportedSettings(asked, settings, backend, warn);
    const prompt = parsed.positionals.join(' ');
    const workspace = workspaceOptions(parsed) ?? (await defaultWorkspace(options.cwd));
    const host = new EmbeddedHost({ baton, settings: () => settings, keepsFiles: true });
    const tell = (line: string) => void process.stderr.write(`${line}\n`);
    const onWorkspace = workspaceWords(tell);
    const request = { ...options, backend: backend.id, prompt, workspace, onWorkspace };
    try {
      return await host.openInterface(request);
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      const { hint } = await explained(error.toJSON(), { baton, backend, settings });
      throw new BatonError(error.code, error.message, { hint: hint ?? error.hint, cause: error });
    }
  },
};

/** The place that the settings of a folder choose. */
async function defaultWorkspace(cwd = '.'): Promise<WorkspaceRequest> {
  const { defaultKind } = await import('@baton/workspaces');
  return { kind: await defaultKind({ folder: resolve(cwd) }) };
}
