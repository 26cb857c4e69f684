import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderTemplate, type Value } from './support/render-template.ts';

const values: Value = {
  name: 'a "b"\n',
  empty: '',
  none: null,
  zero: 0,
  port: 8080,
  half: 0.5,
  million: 1e6,
  yes: true,
  no: false,
  list: ['x', 'y'],
  nothing: [],
  map: { b: '2', a: '1', B: '3' },
  bare: {},
};

const render = (template: string): string => renderTemplate(template, values);

describe('the renderer of templates', () => {
  it.each([
    ['a {{ .Values.port }} b', 'a 8080 b'],
    ['a \n {{- .Values.port }} b', 'a8080 b'],
    ['a {{ .Values.port -}} \n\n b', 'a 8080b'],
    ['a {{- .Values.port -}} b', 'a8080b'],
    ['{{.Values.half}}{{ .Values.yes }}', '0.5true'],
    ['{ a: { b: {{ .Values.port }} }}', '{ a: { b: 8080 }}'],
  ])('prints values and trims white space at the markers: %j', (template, text) => {
    expect(render(template)).toBe(text);
  });

  it.each(['empty', 'none', 'zero', 'no', 'nothing', 'bare', 'name', 'port', 'half', 'yes', 'list', 'map'])(
    'takes the first branch for a value that is not empty, and the other for one that is: %s',
    (name) => {
      const isEmpty = ['empty', 'none', 'zero', 'no', 'nothing', 'bare'].includes(name);
      expect(render(`{{ if .Values.${name} }}a{{ else }}b{{ end }}`)).toBe(isEmpty ? 'b' : 'a');
      expect(render(`{{ if .Values.${name} }}a{{ end }}`)).toBe(isEmpty ? '' : 'a');
    },
  );

  it('repeats the text of a range for each element, and for each entry in the order of the keys', () => {
    expect(render('{{ range .Values.list }}<{{ . }} {{ $.Values.port }}>{{ end }}')).toBe('<x 8080><y 8080>');
    expect(render('{{ range $key, $value := .Values.map }}{{ $key }}={{ $value | quote }} {{ end }}')).toBe(
      'B="3" a="1" b="2" ',
    );
    expect(render('{{ range $at, $one := .Values.list }}{{ $at }}{{ $one }}{{ end }}')).toBe('0x1y');
    expect(render('{{ range .Values.nothing }}a{{ end }}{{ range .Values.bare }}b{{ end }}')).toBe('');
  });

  it('quotes as Go does', () => {
    expect(render('{{ .Values.name | quote }} {{ .Values.port | quote }}')).toBe('"a \\"b\\"\\n" "8080"');
    const text = 'ä€😀\t\\\u0000\u007f\u00a0\u200b\u{e0001}';
    expect(renderTemplate('{{ .Values.text | quote }}', { text })).toBe(
      '"ä€😀\\t\\\\\\x00\\x7f\\u00a0\\u200b\\U000e0001"',
    );
  });

  it('quotes every text so that YAML reads the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parse(renderTemplate('{{ .Values.text | quote }}', { text }))).toBe(text);
      }),
    );
  });

  it.each([
    ...[
      '{{ include "name" . }}',
      '{{ .Values.map | toJson }}',
      '{{ .Values.map | nindent 4 }}',
      '{{ tpl .Values.name . }}',
      '{{ .Release.Name | upper }}',
      '{{ quote .Values.name }}',
      '{{ if not .Values.yes }}a{{ end }}',
      '{{ if .Values.no }}a{{ else if .Values.yes }}b{{ end }}',
      '{{ range .Values.list }}a{{ else }}b{{ end }}',
      '{{ with .Values.map }}a{{ end }}',
      '{{ $name := .Values.name }}',
      '{{/* a comment */}}',
      '{{ else }}',
      '{{ end }}',
    ].map((template) => [template, 'is outside of the subset']),
    ['{{ .Release.Name }}', '.Release.Name does not exist'],
    ['{{ .Values.nmae }}', '.Values.nmae does not exist'],
    ['{{ if .Values.map.c }}{{ end }}', '.Values.map.c does not exist'],
    ['{{ .Values.list.length }}', '.Values.list.length does not exist'],
    ['{{ range .Values.list }}{{ .Values.port }}{{ end }}', '.Values.port does not exist'],
    ['{{ $key }}', '$key does not exist'],
    ['{{ .Values.map }}', '.Values.map is not a string'],
    ['{{ .Values.none | quote }}', '.Values.none is not a string'],
    ['{{ .Values.million }}', 'with an exponent'],
    ['{{ range .Values.name }}{{ end }}', '.Values.name is not a list'],
    ['{{ if .Values.yes }}', 'without {{ end }}'],
    ['{{ .Values.port', 'without }}'],
  ])('refuses %s: %s', (template = '', message = '') => {
    expect(() => render(template)).toThrow(message);
  });
});
