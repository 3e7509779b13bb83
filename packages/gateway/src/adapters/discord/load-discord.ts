import { BatonError } from '@baton/protocol';

export type Discord = typeof import('discord.js');

/** discord.js is an optional dependency of the command and takes long to load, so it is loaded when it is needed. */
export async function loadDiscord(
  load: () => Promise<Discord> = () => import('discord.js'),
): Promise<Discord> {
  try {
    return await load();
  } catch (error) {
    throw new BatonError('config_invalid', 'The Discord adapter needs the package discord.js.', {
      hint: 'Install it where Baton is installed: npm install -g discord.js, or npm install discord.js in the project.',
      cause: error,
    });
  }
}
