import type { BackendRecord } from '@baton/client';
import { useMemo, useState } from 'react';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { makeStale } from '../../data/queries.ts';
import { useDraft } from '../../data/use-draft.ts';
import { Button } from '../../design/button.tsx';
import { Form } from '../../design/form.tsx';
import { Card, Section } from '../../design/page-frame.tsx';
import { tell } from '../../design/toasts.tsx';
import { some } from '../../text/amounts.ts';
import { parsed } from '../../text/parsed.ts';
import { OptionsForm } from '../form/options-form.tsx';
import { optionsSchemaOf } from '../form/options-schema.ts';
import styles from './default-options.module.css';

/** Sessions set the permission mode, and MCP servers are stored separately with their secrets. */
const ELSEWHERE = ['permissionMode', 'mcpConfig'];

/** The form for the default options of an agent's tasks; only owners can change them. */
export function DefaultOptions({ backend }: { backend: BackendRecord }) {
  const { client } = useDaemon();
  const mayChange = useMay('owner');
  const saved = backend.default_options;
  const [draft, setDraft] = useOptionsDraft(backend.id);
  const [busy, setBusy] = useState(false);
  const schema = useMemo(() => optionsSchemaOf(backend, { without: ELSEWHERE }), [backend]);
  const value = draft ?? saved;
  const isDirty = JSON.stringify(value) !== JSON.stringify(saved);
  const changes = Object.keys(value).length;

  const save = async () => {
    setBusy(true);
    const done = await attempt(() =>
      client.backends.patch(backend.id, { options: changes === 0 ? null : value }),
    );
    setBusy(false);
    if (!done) return;
    makeStale('backends');
    setDraft(undefined);
    tell(`Options for ${backend.label} saved.`, { tone: 'good' });
  };
  return (
    <Section
      title="Default options"
      about={`Tasks can override these.${mayChange ? '' : ' Only owners can change them.'}`}
      actions={
        mayChange &&
        changes > 0 && (
          <Button small look="quiet" icon="retry" onClick={() => setDraft({})}>
            Reset all
          </Button>
        )
      }
    >
      <Card>
        <Form onSubmit={save} className={styles.form}>
          <OptionsForm schema={schema} value={value} onChange={setDraft} disabled={!mayChange} />
          {mayChange && (
            <footer className={styles.foot}>
              <span className={styles.state}>
                {changes === 0 ? 'Using agent defaults' : `${some(changes, 'option')} set`}
                {isDirty && ', not saved yet'}
              </span>
              {isDirty && (
                <Button look="quiet" onClick={() => setDraft(undefined)}>
                  Cancel
                </Button>
              )}
              <Button look="primary" type="submit" busy={busy} idle={!isDirty}>
                Save
              </Button>
            </footer>
          )}
        </Form>
      </Card>
    </Section>
  );
}

/** The unsaved draft; it is restored when the view is opened again. */
function useOptionsDraft(backendId: string) {
  const { text, write } = useDraft(`options ${backendId}`);
  const draft = useMemo(() => {
    const kept = parsed(text);
    const isOptions = typeof kept === 'object' && kept !== null && !Array.isArray(kept);
    return isOptions ? (kept as Record<string, unknown>) : undefined;
  }, [text]);
  const change = (next: Record<string, unknown> | undefined) =>
    write(next === undefined ? '' : JSON.stringify(next));
  return [draft, change] as const;
}
