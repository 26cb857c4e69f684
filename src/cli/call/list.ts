import { inputFields, type InputField, type ModelEndpoint } from '../../gateway/index.ts';
import { wrap } from '../ui/text.ts';

const typeOf = ({ kind, isList, choices, file }: InputField): string => {
  const single =
    file === undefined ? (kind === 'choice' ? choices.join(' or ') : isList ? 'text' : kind) : 'image file';
  return isList ? `${single}, repeatable` : single;
};

/** Columns; fits any terminal. */
const width = 80;
const nameWidth = 24;

const fieldLines = (field: InputField): readonly string[] => {
  const notes = [
    ...(field.required ? ['required'] : []),
    ...(field.byDefault === undefined ? [] : [`default ${field.byDefault}`]),
  ];
  const text = `${field.description} (${[typeOf(field), ...notes].join(', ')})`;
  return wrap(text, width - nameWidth).map(
    (line, at) => `${(at === 0 ? `    --${field.flag}` : '').padEnd(nameWidth)}${line}`,
  );
};

export const listText = (endpoints: readonly ModelEndpoint[]): string =>
  `${endpoints
    .map((endpoint) =>
      [
        `${endpoint.name}  ${endpoint.method} ${endpoint.path}${endpoint.answers === 'json' ? '' : ` (${endpoint.answers})`}`,
        `    ${endpoint.summary}`,
        ...inputFields(endpoint).flatMap(fieldLines),
      ].join('\n'),
    )
    .join('\n\n')}\n`;

export const listJson = (endpoints: readonly ModelEndpoint[]) =>
  endpoints.map((endpoint) => ({
    name: endpoint.name,
    request: `${endpoint.method} ${endpoint.path}`,
    answers: endpoint.answers,
    statement: endpoint.statement,
    summary: endpoint.summary,
    example: endpoint.example,
    fields: inputFields(endpoint).map(
      ({ name, flag, kind, isList, choices, description, required, byDefault }) => ({
        name,
        flag: `--${flag}`,
        kind,
        list: isList,
        ...(choices.length === 0 ? {} : { choices }),
        description,
        required,
        ...(byDefault === undefined ? {} : { default: byDefault }),
      }),
    ),
  }));
