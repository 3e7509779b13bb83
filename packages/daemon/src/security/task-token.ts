import { BatonError } from '@baton/protocol';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';

/** Longer than any task takes. */
const A_LIFETIME_S = 1_000_000_000;
const AUDIENCE = 'baton-executor';
/** Maximum number of cached tokens. */
const MOST_KNOWN = 1000;

/** Claims of a task token: its bearer may act for one task, under one lease. */
export type TaskClaims = {
  sessionId: string;
  taskId: string;
  executorId: string;
  fence: number;
  userId?: string | undefined;
};

/** Signs and reads the tokens of executors. */
export class TaskTokens {
  #key: Uint8Array;
  #lifeMs: number;
  #now: () => number;
  /** Verified tokens and their expiry: an executor sends its own with every call. */
  #known = new Map<string, { claims: TaskClaims; until: number }>();

  constructor({ key, lifeMs, now }: { key: Uint8Array; lifeMs: number; now: () => number }) {
    this.#key = key;
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  /** Creates a token with a limited lifetime; the heartbeat returns the next one. */
  sign({ sessionId, taskId, executorId, fence, userId }: TaskClaims): Promise<string> {
    const now = this.#now();
    return new SignJWT({
      session_id: sessionId,
      task_id: taskId,
      executor_id: executorId,
      fence,
      ...(userId === undefined ? {} : { user_id: userId }),
    })
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(AUDIENCE)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(Math.ceil((now + this.#lifeMs) / 1000))
      .sign(this.#key);
  }

  /** Verifies a token; undefined if it is not ours or has expired. */
  async verify(token: string): Promise<TaskClaims | undefined> {
    const known = this.#known.get(token);
    if (known && this.#now() < known.until) return known.claims;
    try {
      const payload = await this.#read(token);
      const claims = claimsOf(payload);
      this.#remember(token, claims, payload.exp ?? 0);
      return claims;
    } catch {
      return undefined;
    }
  }

  /** Reads a token that may have expired. It only proves that its bearer may exchange it for a new one. */
  async verifyExpired(token: string): Promise<TaskClaims | undefined> {
    try {
      return claimsOf(await this.#read(token, A_LIFETIME_S));
    } catch {
      return undefined;
    }
  }

  async #read(token: string, clockTolerance = 0): Promise<JWTPayload> {
    const currentDate = new Date(this.#now());
    const checks = { audience: AUDIENCE, algorithms: ['HS256'], currentDate, clockTolerance };
    return (await jwtVerify(token, this.#key, checks)).payload;
  }

  #remember(token: string, claims: TaskClaims, expirationSeconds: number): void {
    this.#known.set(token, { claims, until: 1000 * expirationSeconds });
    if (this.#known.size <= MOST_KNOWN) return;
    const [oldest = ''] = this.#known.keys();
    this.#known.delete(oldest);
  }
}

function claimsOf(payload: Record<string, unknown>): TaskClaims {
  const { session_id, task_id, executor_id, fence, user_id } = payload;
  if (
    typeof session_id !== 'string' ||
    typeof task_id !== 'string' ||
    typeof executor_id !== 'string' ||
    typeof fence !== 'number'
  ) {
    throw new BatonError('usage', 'The token has no task.');
  }
  return {
    sessionId: session_id,
    taskId: task_id,
    executorId: executor_id,
    fence,
    userId: typeof user_id === 'string' ? user_id : undefined,
  };
}
