import type { BatonClient } from '@baton/client';
import { BatonError } from '@baton/protocol';
import { useState } from 'react';
import { Button } from '../design/button.tsx';
import { CopyLine } from '../design/copy-line.tsx';
import { TextField } from '../design/field.tsx';
import { Form } from '../design/form.tsx';
import { Mark } from '../shell/mark.tsx';
import styles from './sign-in.module.css';

const COMMAND = 'npx baton login --link';

type Props = {
  client: BatonClient;
  /** The reason why the user was signed out. */
  problem?: string | undefined;
  onToken: (token: string) => Promise<void>;
};

/** The sign-in page, for one-time links and for passwords. */
export function SignIn({ client, problem, onToken }: Props) {
  const [name, setName] = useState('owner');
  const [password, setPassword] = useState('');
  const [mistake, setMistake] = useState(problem);
  const [busy, setBusy] = useState(false);

  const signIn = async () => {
    setBusy(true);
    setMistake(undefined);
    try {
      await onToken((await client.authentication.withPassword(name, password)).accessToken);
    } catch (error) {
      setMistake(BatonError.is(error) ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <main className={styles.door}>
      <div className={styles.card}>
        <Mark />
        <h1>Sign in to Baton</h1>
        {mistake && (
          <p className={styles.mistake} role="alert">
            {mistake}
          </p>
        )}
        <section className={styles.way}>
          <h2>With a link</h2>
          <p>Run this on the machine where Baton is running to get a one-time sign-in link:</p>
          <CopyLine text={COMMAND} label="Copy command" />
        </section>
        <section className={styles.way}>
          <h2>With a password</h2>
          <Form className={styles.form} onSubmit={signIn}>
            <TextField
              label="Name"
              autoComplete="username"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
            <TextField
              label="Password"
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
              hint="Set one in Settings → Account."
            />
            <Button look="primary" type="submit" busy={busy} disabled={!name || !password}>
              Sign in
            </Button>
          </Form>
        </section>
      </div>
    </main>
  );
}
