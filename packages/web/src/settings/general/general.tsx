import type { SettingRecord } from '@baton/client';
import { useState } from 'react';
import { attempt } from '../../data/attempt.ts';
import { useDaemon, useMay } from '../../data/daemon.tsx';
import { useNow } from '../../data/now.ts';
import { makeStale, useRecords } from '../../data/queries.ts';
import { QueryResult } from '../../data/query-result.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Form } from '../../design/form.tsx';
import { Section } from '../../design/page-frame.tsx';
import { Row, Rows } from '../../design/rows.tsx';
import { tell } from '../../design/toasts.tsx';
import { timeAgo } from '../../text/time.ts';
import styles from './general.module.css';
import { knownSetting, shownValue } from './known-settings.ts';
import { SettingControl } from './setting-control.tsx';

/** The settings of the daemon, which owners can change at run time. */
export function General() {
  const mayChange = useMay('owner');
  const query = useRecords(['settings'], (client) => client.settings.find());
  return (
    <Section
      title="General"
      about={`Applies to everyone on this daemon. ${mayChange ? 'Running tasks are not affected.' : 'Only owners can change these.'}`}
    >
      <QueryResult query={query} lines={8}>
        {(settings) => (
          <Rows label="Settings">
            {settings.map((setting) => (
              // A value that someone else saved replaces the displayed one.
              <Setting
                key={`${setting.name} ${setting.updated_at}`}
                setting={setting}
                mayChange={mayChange}
              />
            ))}
          </Rows>
        )}
      </QueryResult>
    </Section>
  );
}

function Setting({ setting, mayChange }: { setting: SettingRecord; mayChange: boolean }) {
  const { name, value, default: byDefault, updated_at } = setting;
  const now = useNow();
  const { label, control, about = setting.about } = knownSetting(name, byDefault);
  const isDefault = same(value, byDefault);
  return (
    <Row
      title={label}
      badges={!isDefault && <Badge tone="accent">changed</Badge>}
      facts={[
        <code key="name">{name}</code>,
        `default: ${shownValue(control, byDefault)}`,
        updated_at && `set ${timeAgo(updated_at, now)}`,
      ]}
      actions={
        mayChange ? (
          <Editor setting={setting} label={label} />
        ) : (
          <strong className={styles.value}>{shownValue(control, value)}</strong>
        )
      }
    >
      <p className={styles.about}>{about}</p>
    </Row>
  );
}

function Editor({ setting, label }: { setting: SettingRecord; label: string }) {
  const { client } = useDaemon();
  const { name, value, default: byDefault } = setting;
  const { control } = knownSetting(name, byDefault);
  const [draft, setDraft] = useState(value);
  const isDirty = !same(draft, value);
  const save = (next: unknown) =>
    attempt(async () => {
      await client.settings.patch(name, next);
      makeStale('settings');
      tell(`${label}: ${shownValue(control, next)}.`, { tone: 'good' });
    });
  return (
    <Form className={styles.editor} onSubmit={() => save(draft)}>
      <SettingControl label={label} control={control} value={draft} onChange={setDraft} />
      {isDirty && (
        <div className={styles.actions}>
          <Button small look="primary" type="submit">
            Save
          </Button>
          <Button small look="quiet" onClick={() => setDraft(value)}>
            Cancel
          </Button>
        </div>
      )}
      {!isDirty && !same(value, byDefault) && (
        <Button small look="quiet" icon="retry" onClick={() => save(byDefault)}>
          Reset to default
        </Button>
      )}
    </Form>
  );
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
