import type { UserRecord } from '@baton/client';
import { useState } from 'react';
import { attempt } from '../../data/attempt.ts';
import { useDaemon } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Card, Section } from '../../design/page-frame.tsx';
import { tell } from '../../design/toasts.tsx';
import styles from './account.module.css';

const SHORTEST = 10;

/** Chooses the own password. */
export function Password({ me }: { me: UserRecord }) {
  const { client } = useDaemon();
  const [busy, setBusy] = useState(false);
  const [mistake, setMistake] = useState<string>();
  const save = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const password = String(fields.get('password'));
    if (password !== fields.get('again')) return setMistake('Passwords don’t match.');
    setMistake(undefined);
    setBusy(true);
    const current = fields.get('current');
    const done = await attempt(() =>
      client.users.patch('me', {
        password,
        ...(current === null ? {} : { current_password: String(current) }),
      }),
    );
    setBusy(false);
    if (!done) return;
    form.reset();
    makeStale('users');
    tell('Password changed. Other browsers have been signed out.', { tone: 'good' });
  };
  return (
    <Section
      title="Password"
      about={
        me.has_password
          ? 'Sign in with your name and password instead of a one-time link.'
          : 'No password set. You sign in with one-time links; add a password to sign in without one.'
      }
    >
      <Card>
        <Form className={styles.fields} onSubmit={save} onInput={() => setMistake(undefined)}>
          <input type="hidden" autoComplete="username" value={me.name} readOnly />
          {me.has_password && (
            <TextField
              label="Current password"
              name="current"
              type="password"
              autoComplete="current-password"
              required
            />
          )}
          <TextField
            label="New password"
            name="password"
            type="password"
            autoComplete="new-password"
            minLength={SHORTEST}
            required
            hint={`At least ${SHORTEST} characters.`}
          />
          <TextField
            label="Confirm new password"
            name="again"
            type="password"
            autoComplete="new-password"
            required
            error={mistake}
          />
          <Button type="submit" look="primary" busy={busy}>
            {me.has_password ? 'Change password' : 'Set password'}
          </Button>
        </Form>
      </Card>
    </Section>
  );
}
