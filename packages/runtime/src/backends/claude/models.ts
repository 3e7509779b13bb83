import type { ModelInfo } from '@baton/protocol';
import type { ModelQuestion } from '../../ask-for-models.ts';
import { array, object, parseJson, string } from '../../normalize/json.ts';
import { requestFrame } from './frames.ts';

const REQUEST = 'baton-models';

/** Claude tells its models when it is greeted. */
export const claudeModels: ModelQuestion = {
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
    // A refusal has no response in it, and so no models.
    return array(object(object(response).response).models).flatMap(modelOf);
  },
};

function modelOf(model: unknown): ModelInfo[] {
  const { value, displayName, description } = object(model);
  const id = string(value);
  if (id === undefined) return [];
  return [{ id, label: string(displayName) ?? id, description: string(description) }];
}
