import type { APIChannel, GatewayGuildCreateDispatchData } from 'discord.js';

/** The values of `ChannelType` for threads. */
const THREADS: readonly number[] = [10, 11, 12];
/** Older threads are forgotten: people have to mention the bot there. */
const MAX_THREADS = 10_000;

/** The channel that a thread belongs to; nothing for other channels. */
export function parentOfThread(channel: APIChannel): string | undefined {
  if (!THREADS.includes(channel.type) || !('parent_id' in channel)) return undefined;
  return channel.parent_id ?? undefined;
}

/** Messages do not tell that their channel is a thread, so the adapter remembers the threads that Discord names. */
export class ThreadParents {
  #parents = new Map<string, string>();

  addAll({ threads = [] }: Partial<Pick<GatewayGuildCreateDispatchData, 'threads'>>): void {
    for (const thread of threads) this.add(thread);
  }

  add(channel: APIChannel): void {
    const parent = parentOfThread(channel);
    if (parent === undefined) return;
    this.#parents.set(channel.id, parent);
    for (const oldest of this.#parents.keys()) {
      if (this.#parents.size <= MAX_THREADS) return;
      this.#parents.delete(oldest);
    }
  }

  get(channelId: string): string | undefined {
    return this.#parents.get(channelId);
  }
}
