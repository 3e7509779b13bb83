import { BatonError } from '@baton/protocol';
import type { APIApplication, APIUser, REST } from 'discord.js';
import type { CheckResult } from '../../checks/check-result.ts';
import { normalizeToken } from './bot-token.ts';
import { checkChannel } from './check-channel.ts';
import { toBatonError } from './discord-errors.ts';
import { PLATFORM, toSnowflake } from './discord-ids.ts';
import { fetchGuildOnce } from './guild-facts.ts';
import { inviteUrl } from './invite-url.ts';
import { loadDiscord } from './load-discord.ts';

const MESSAGE_CONTENT = 1 << 18;
const MESSAGE_CONTENT_LIMITED = 1 << 19;
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;

export type DiscordCheckOptions = {
  token: string;
  apiUrl?: string | undefined;
  /** Ids such as `discord:1234`; those of other platforms are skipped. */
  channels: readonly string[];
  guilds: readonly string[];
};

/** Checks the setup of the bot. It sends nothing and does not connect, so a running gateway is not disturbed. */
export async function checkDiscord(options: DiscordCheckOptions): Promise<CheckResult[]> {
  const { REST } = await loadDiscord();
  const { apiUrl } = options;
  const token = normalizeToken(options.token);
  // An HTTP header cannot contain it, so the request would look like a network failure.
  if (!PRINTABLE_ASCII.test(token)) return [failed('Discord token', malformedToken())];
  const rest = new REST(apiUrl === undefined ? {} : { api: apiUrl }).setToken(token);
  const explain = (error: unknown) => toBatonError(error, 'Failed', token);
  try {
    return await checkAll(rest, options, explain);
  } finally {
    rest.clearHashSweeper();
    rest.clearHandlerSweeper();
  }
}

async function checkAll(
  rest: REST,
  options: DiscordCheckOptions,
  explain: Explain,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  let bot: APIUser;
  let application: APIApplication;
  try {
    bot = (await rest.get('/users/@me')) as APIUser;
    results.push({ name: 'Discord token', ok: true, detail: `The bot is ${bot.username}.` });
    application = (await rest.get('/applications/@me')) as APIApplication;
  } catch (error) {
    return [failed('Discord token', explain(error))];
  }
  results.push(messageContentResult(application));
  const fetchGuild = fetchGuildOnce(rest, bot.id);
  const invite = inviteUrl(application.id);
  results.push({ name: 'Invitation', ok: true, detail: `Add the bot to a server: ${invite}` });
  for (const id of options.guilds.filter(isDiscord)) {
    results.push(await attempt(`Server ${id}`, explain, () => checkGuild(id)));
  }
  for (const id of options.channels.filter(isDiscord)) {
    const check = () => checkChannel(id, { rest, fetchGuild, botId: bot.id, invite });
    results.push(await attempt(`Channel ${id}`, explain, check));
  }
  return results;

  async function checkGuild(id: string): Promise<CheckResult> {
    const name = `Server ${id}`;
    const guild = await fetchGuild(toSnowflake(id));
    if (guild) return { name, ok: true, detail: `The bot is a member of ${guild.name}.` };
    const detail = 'The bot is not a member of this server.';
    return { name, ok: false, detail, hint: `Add the bot: ${invite}` };
  }
}

function messageContentResult(application: APIApplication): CheckResult {
  const flags: number = application.flags ?? 0;
  const name = 'Message Content intent';
  if ((flags & (MESSAGE_CONTENT | MESSAGE_CONTENT_LIMITED)) !== 0) {
    return { name, ok: true, detail: 'The bot may read the content of messages.' };
  }
  return {
    name,
    ok: false,
    detail: 'The bot may not read the content of messages.',
    hint: 'Enable the Message Content intent under Bot in the Developer Portal.',
  };
}

function malformedToken(): BatonError {
  return new BatonError('unauthenticated', 'This is not a Discord token.', {
    hint: 'Copy the token under Bot in the Developer Portal.',
  });
}

type Explain = (error: unknown) => BatonError;

async function attempt(
  name: string,
  explain: Explain,
  check: () => Promise<CheckResult>,
): Promise<CheckResult> {
  try {
    return await check();
  } catch (error) {
    return failed(name, explain(error));
  }
}

function failed(name: string, { code, message, hint }: BatonError): CheckResult {
  return { name, ok: false, code, detail: message, hint };
}

function isDiscord(id: string): boolean {
  return id.startsWith(`${PLATFORM}:`);
}
