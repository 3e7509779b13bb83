import type { ModelInfo } from '@baton/protocol';
import type { IntroductionQuestion } from '../../introduction.ts';
import { array, object, string } from '../../normalize/json.ts';
import { AppServerClient } from './app-server-client.ts';
import { readRpc } from './rpc.ts';

const REQUEST = 'baton-introduction';

/** The app server has a list of its models, and says which ones are not to be shown; of commands it does not speak. */
export const codexIntroduction: IntroductionQuestion = {
  args: ['app-server'],
  frames: [...greeting(), JSON.stringify({ id: REQUEST, method: 'model/list', params: {} })],
  read(line) {
    const message = readRpc(line);
    if (message?.kind === 'error') return { models: [], commands: [] };
    if (message?.kind !== 'result') return undefined;
    const { data } = message.result;
    if (!Array.isArray(data)) return undefined;
    return { models: array(data).flatMap(modelOf), commands: [] };
  },
};

function greeting(): string[] {
  const frames: string[] = [];
  const client = new AppServerClient((frame) => frames.push(frame));
  client.initialize();
  client.initialized();
  return frames;
}

function modelOf(each: unknown): ModelInfo[] {
  const { model, displayName, description, hidden } = object(each);
  const id = string(model);
  if (id === undefined || hidden === true) return [];
  return [{ id, label: string(displayName) ?? id, description: string(description) }];
}
