import type { REST, RESTPutAPIApplicationCommandsJSONBody } from 'discord.js';
import type { CommandDescription } from '../../channel-adapter.ts';
import { COMMAND_DESCRIPTION_LENGTH } from './discord-limits.ts';

const CHAT_INPUT = 1;
const STRING_OPTION = 3;
const GUILD_INSTALL = 0;
const IN_GUILDS = 0;
const IN_DIRECT_MESSAGES = 1;

/** Replaces the commands that Discord lists for the bot. Repeating this with the same commands changes nothing. */
export async function registerCommands(
  rest: REST,
  {
    applicationId,
    commands,
    directMessages,
  }: {
    applicationId: string;
    commands: readonly CommandDescription[];
    directMessages: boolean;
  },
): Promise<void> {
  const body: RESTPutAPIApplicationCommandsJSONBody = commands.map(({ name, about, argument }) => ({
    type: CHAT_INPUT,
    name,
    description: about.slice(0, COMMAND_DESCRIPTION_LENGTH),
    integration_types: [GUILD_INSTALL],
    contexts: directMessages ? [IN_GUILDS, IN_DIRECT_MESSAGES] : [IN_GUILDS],
    options:
      argument === undefined
        ? []
        : [
            {
              type: STRING_OPTION,
              name: 'argument',
              description: argument.slice(0, COMMAND_DESCRIPTION_LENGTH),
              required: false,
            },
          ],
  }));
  await rest.put(`/applications/${applicationId}/commands`, { body });
}
