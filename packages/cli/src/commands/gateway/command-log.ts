import type { GatewayLog } from '@baton/gateway';
import { safe } from '../../view/style.ts';
import { redacted } from './gateway-setup.ts';

/** The log of the gateway on standard error, without secrets. A person at a terminal gets only warnings. */
export class CommandLog implements GatewayLog {
  #secrets: readonly string[];
  #isAttended: boolean;
  #write: (line: string) => void = (line) => process.stderr.write(`${line}\n`);

  constructor(secrets: readonly string[], { isAttended }: { isAttended: boolean }) {
    this.#secrets = secrets;
    this.#isAttended = isAttended;
  }

  /** Takes another way to write a line from now on. */
  writeTo(write: (line: string) => void): void {
    this.#write = write;
  }

  warn(message: string): void {
    this.#log('warning', message);
  }

  info(message: string): void {
    if (!this.#isAttended) this.#log('info', message);
  }

  #log(level: string, message: string): void {
    const line = `${level}: ${redacted(message, this.#secrets)}`;
    this.#write(safe(this.#isAttended ? line : `${new Date().toISOString()} ${line}`));
  }
}
