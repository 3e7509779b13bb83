import { IconButton } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { bytes } from '../text/amounts.ts';
import styles from './composer.module.css';

/** The files that go along with a prompt. */
export function AttachmentList({
  files,
  onChange,
}: {
  files: readonly File[];
  onChange: (files: readonly File[]) => void;
}) {
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label="Attached files">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <li key={index} className={styles.file}>
          <Icon name="file" size={14} />
          <span className={`cut-line ${styles.fileName}`}>{file.name || 'pasted'}</span>
          <span className={styles.about}>{bytes(file.size)}</span>
          <IconButton
            small
            label={`Remove ${file.name}`}
            icon="close"
            onClick={() => onChange(files.filter((each) => each !== file))}
          />
        </li>
      ))}
    </ul>
  );
}
