import { createHash } from 'node:crypto';
import type { RateLimit } from './options.ts';

/** Rate limit that a request counts against: requests with the same name and major id share it. */
export type Bucket = RateLimit & { name: string; majorId: string };

export type Verdict = { allowed: boolean; headers: Record<string, string>; retryAfter: number };

type Window = { used: number; endsAt: number };

/** Fixed windows: each starts with the first request after the previous window. */
export class RateLimits {
  /** Number of rejected requests. */
  hits = 0;
  #windows = new Map<string, Window>();

  take(bucket: Bucket): Verdict {
    const window = this.#window(bucket);
    const allowed = window.used < bucket.limit;
    if (allowed) window.used += 1;
    else this.hits += 1;
    const seconds = Math.max(0, window.endsAt - Date.now()) / 1000;
    const headers: Record<string, string> = {
      'X-RateLimit-Limit': String(bucket.limit),
      'X-RateLimit-Remaining': String(bucket.limit - window.used),
      'X-RateLimit-Reset': (window.endsAt / 1000).toFixed(3),
      'X-RateLimit-Reset-After': seconds.toFixed(3),
      'X-RateLimit-Bucket': createHash('md5').update(bucket.name).digest('hex'),
    };
    if (!allowed) {
      headers['X-RateLimit-Scope'] = 'user';
      // Discord rounds this header up to seconds; the body has the fraction.
      headers['Retry-After'] = String(Math.ceil(seconds));
    }
    return { allowed, headers, retryAfter: seconds };
  }

  /** Uses up a bucket, as another process with the same token would do. */
  exhaust(bucket: Bucket): void {
    this.#window(bucket).used = bucket.limit;
  }

  #window({ name, majorId, perMs }: Bucket): Window {
    const key = `${name}:${majorId}`;
    const known = this.#windows.get(key);
    if (known && known.endsAt > Date.now()) return known;
    const window = { used: 0, endsAt: Date.now() + perMs };
    this.#windows.set(key, window);
    return window;
  }
}
