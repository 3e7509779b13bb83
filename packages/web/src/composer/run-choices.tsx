import * as Ariakit from '@ariakit/react';
import type { BackendRecord } from '@baton/client';
import { PERMISSION_MODES, type PermissionMode } from '@baton/protocol';
import { useId } from 'react';
import { backendOf } from '../agents/backend-of.ts';
import { OptionsForm } from '../agents/form/options-form.tsx';
import { optionsSchemaOf } from '../agents/form/options-schema.ts';
import { READINESS, readinessOf } from '../agents/list/readiness.ts';
import { Button } from '../design/button.tsx';
import { SayAtOnce, TextField } from '../design/field.tsx';
import { MODE_NAMES } from '../text/mode-names.ts';
import styles from './composer.module.css';
import type { RunChoice } from './run-choice.ts';

type Props = {
  value: RunChoice;
  onChange: (change: Partial<RunChoice>) => void;
  backends: readonly BackendRecord[];
};

/** The controls for the agent, model, permission mode and options of a prompt. */
export function RunChoices({ value, onChange, backends }: Props) {
  const backend = backendOf(backends, value.backend);
  const modes = backend?.capabilities.permissionModes ?? PERMISSION_MODES;
  const list = useId();
  // One that was chosen elsewhere can be taken away here.
  const hasModel =
    backend?.capabilities.options.model.support !== 'unsupported' || value.model !== '';
  const changed = Object.keys(value.options).length + (value.model === '' ? 0 : 1);
  return (
    <>
      <Choice
        label="Agent"
        value={backend?.id ?? value.backend}
        onChange={(id) => onChange({ backend: id })}
        options={[
          // An agent that this daemon does not know is still the one of the session.
          ...(backend ? [] : [{ value: value.backend, label: value.backend }]),
          ...backends.map((each) => ({
            value: each.id,
            label: nameOf(each),
            // What is chosen stays, so that it is seen why it does not work.
            disabled: readinessOf(each) === 'needs-install' && each.id !== backend?.id,
          })),
        ]}
      />
      <Choice
        label="Permissions"
        value={value.permissionMode}
        onChange={(mode) => onChange({ permissionMode: mode as PermissionMode })}
        options={[
          // A mode that the agent cannot keep is never replaced by one that allows more: the user chooses.
          ...(modes.includes(value.permissionMode) ? [] : [unsupported(value.permissionMode)]),
          ...modes.map((mode) => ({ value: mode, label: MODE_NAMES[mode] })),
        ]}
      />
      <Ariakit.PopoverProvider placement="top-start">
        <Ariakit.PopoverDisclosure
          render={
            <Button small look="quiet" icon="settings">
              {value.model || 'Options'}
              {changed > 0 && value.model === '' && ` (${changed})`}
            </Button>
          }
        />
        <Ariakit.Popover
          portal
          gutter={6}
          unmountOnHide
          aria-label="Model and options"
          className={`popover ${styles.options}`}
        >
          {hasModel && (
            <>
              <TextField
                label="Model"
                placeholder="Agent default"
                value={value.model}
                onChange={({ target }) => onChange({ model: target.value })}
                list={list}
                spellCheck={false}
                autoComplete="off"
              />
              <datalist id={list}>
                {backend?.models.map(({ id, label }) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </datalist>
            </>
          )}
          {backend && (
            <SayAtOnce value={true}>
              <OptionsForm
                schema={optionsSchemaOf(backend, { without: ['model', 'permissionMode'] })}
                value={value.options}
                onChange={(options) => onChange({ options })}
              />
            </SayAtOnce>
          )}
        </Ariakit.Popover>
      </Ariakit.PopoverProvider>
    </>
  );
}

function unsupported(mode: PermissionMode) {
  return { value: mode, label: `${MODE_NAMES[mode]} (not supported)`, disabled: true };
}

/** The name of an agent, with a note if it is not ready. */
function nameOf(backend: BackendRecord): string {
  const { label, tone } = READINESS[readinessOf(backend)];
  return tone === 'good' ? backend.label : `${backend.label} (${label.toLowerCase()})`;
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly { value: string; label: string; disabled?: boolean }[];
  onChange: (value: string) => void;
}) {
  return (
    <select
      className={styles.choice}
      aria-label={label}
      title={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value} disabled={option.disabled}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
