import type { CommandInfo, ModelInfo } from '@baton/protocol';
import type { IntroductionQuestion } from '../../introduction.ts';
import { array, object, parseJson, string } from '../../normalize/json.ts';
import { requestFrame } from './frames.ts';

const REQUEST = 'baton-introduction';

/** Claude tells its models and commands when it is greeted. */
export const claudeIntroduction: IntroductionQuestion = {
  args: [
    '--print',
    '--input-format=stream-json',
    '--output-format=stream-json',
    '--verbose',
    // Without the MCP servers of the user, which nobody needs for this.
    '--strict-mcp-config',
  ],
  frames: [requestFrame(REQUEST, { subtype: 'initialize' })],
  read(line) {
    const { type, response } = object(parseJson(line));
    if (type !== 'control_response') return undefined;
    // A refusal has no response in it, and so nothing of this.
    const { models, commands } = object(object(response).response);
    return { models: array(models).flatMap(modelOf), commands: array(commands).flatMap(commandOf) };
  },
};

function modelOf(model: unknown): ModelInfo[] {
  const { value, displayName, description } = object(model);
  const id = string(value);
  if (id === undefined) return [];
  return [{ id, label: string(displayName) ?? id, description: string(description) }];
}

function commandOf(command: unknown): CommandInfo[] {
  const { name, description } = object(command);
  const known = string(name);
  return known === undefined ? [] : [{ name: known, description: string(description) }];
}
