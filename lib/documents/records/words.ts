/** The words that records are read by: those of English as data, and the table of those of some languages. The guideline reading-records lists them. */

import { re } from "./pattern.ts";
import type { RecordWords, StatedRelation } from "./record.ts";
import { STATUSES } from "./status.ts";

/** The words of one language, each list separated by commas. */
export interface LanguageWords {
  /** The words of a status, by its English word. */
  readonly status: Readonly<Record<string, string>>;
  /** The labels of fields, by the name of the field. */
  readonly labels: Readonly<Record<string, string>>;
  /** The headings of the usual sections. */
  readonly sections?: Readonly<Record<"context" | "decision" | "consequences", string>>;
}

/** Labels in English. A field that is not read is here too, because its label ends the value of another field. */
const ENGLISH: LanguageWords = {
  status: {
    superseded: "superceded,superseeded,superceeded,supersededby,superseded-by,obsoleted",
    "in progress": "work in progress",
    "final comment period": "final comment period,fcp",
  },
  labels: {
    status: "status,state,decision status,adr status,record status,current status,lifecycle",
    stage: "stage",
    date: "date,decision date,date decided,decided on,date of decision,adr date",
    created: "created,start date,creation date,date created,created at,created on",
    number: "number,adr number",
    name: "name",
    title: "title",
    supersedes: "supersedes,replaces",
    supersededby: "superseded by,replaced by,obsoleted by,successor",
    superseded: "superseded",
    amends: "amends",
    amendedby: "amended by",
    relatesto: "relates to,related to,related,see also,related adrs,related decisions",
    other:
      "id,title,author,authors,author(s),owner,owners,decider,deciders,decision makers,tag,tags,category," +
      "version,reviewers,approvers,technical story,updated,last updated,impact,scope,type,consulted,informed",
  },
};

/** A text without accents, in lower case: "Accepté" and "accepte" are one word. */
export function folded(text: string): string {
  // Most words are ASCII, and to normalise them would take most of the time.
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** A label without the marks between its words. */
const labelKey = (label: string): string => folded(label).replace(/[\s_-]/g, "");
/** The words of a list. */
export const splitWords = (words: string): string[] => words.split(",").filter((word) => word !== "");

/** The maximum length of a label, in UTF-16 units. */
const MAX_LABEL = 80;
/** The maximum number of labels whose fields are remembered. */
const MAX_FIELDS = 1000;

const textsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((one): one is string => typeof one === "string" && one.trim() !== "")
    : [];

/** Whether a word of a status is one of English, in any spelling that is known. */
export function isEnglish(word: string): boolean {
  const key = word.toLowerCase();
  return STATUSES.has(key) || Object.values(ENGLISH.status).some((words) => splitWords(words).includes(key));
}

/** The words of a team in the form of a language. They come from a file, which may have anything in these places. */
function languageOf({ status, labels }: RecordWords): LanguageWords {
  const listed = (words: unknown, nameOf: (name: string) => string) =>
    Object.fromEntries(Object.entries(Object(words)).map(([name, all]) => [nameOf(name), `${textsOf(all)}`]));
  return { status: listed(status, (name) => name), labels: listed(labels, labelKey) };
}

/** A letter outside ASCII. */
export const FOREIGN_LETTER: RegExp = /[\xaa\xb5\xba\xc0-\u02c1\u0370-\u1fff\u3005-\ud7ff]/;
/** The labels of other languages in ASCII without spaces, or the starts of long ones. */
const FOREIGN_LABEL =
  /^(?:abgelos|altera$|alterad|amende$|amendee|amendep|andert$|auteur$|auteurs$|autor$|autore$|autoren$|autores$|autori$|autorzy$|besliss|beteili|bezug$|correla|data$|datadad|datadec|dateded|datum$|decideu|decisor|emenda$|emendad|enmenda|enmiend|entsche|erganzt|ersetzt|erstell|estado$|estatus$|etat$|fecha$|fechade|geander|gerelat|gewijzi|liea$|lieea$|lostab$|modific|modifie$|modifiee?par|nachfol|powiaza|reempla|relacio|remplac|sieheau|situaca|sostitu|stan$|stand$|stato$|statut$|substit|superad|superat|sustitu|titel$|titolo$|titre$|titulo$|veaseta|vedianc|vejatam|vertamb|vervang|verwand|voiraus|wijzigt$|zastapi|zastepu|zieook$|zmienia$|zmienio|zobaczt|zustand$)/;

/** What a text in another language says of other records. */
export type ForeignRelation = Pick<StatedRelation, "relation" | "names">;
type ReadForeign = (
  line: string,
  masked: string,
  words: Words,
  own: number | undefined,
) => readonly ForeignRelation[];

/** Words of a part in a label, without spaces. */
const PART_OF_LABEL =
  /\(?(?:partly|partially|partial|inpart|teilweise|partiellement|enpartie|parcialmente|parzialmente|gedeeltelijk|deels|czesciowo|частично|部分的?に?|一部|일부|부분적으로|부분)\)?/;

/** The words of some languages, and of a team. */
export class Words {
  /** The English word of a status, by folded word. */
  readonly #statuses = new Map<string, string>();
  readonly #labels = new Map<string, string>();
  /** The results of `fieldOf`; null for a label of no field, and "" for one that another language may know. */
  readonly #fields = new Map<string, string | null>();
  /** The words of languages without spaces, the longest first. */
  readonly #joined: string[] = [];
  /** Before the name of a successor: "by", "durch". */
  readonly by: readonly string[];
  readonly supersedes: readonly string[];
  /** That of the team, and all but English. */
  readonly languages: readonly LanguageWords[];
  /** Whether a team has labels of its own. */
  readonly hasLabels: boolean;

  /** Whether another language may know a text that was looked up and not found. */
  #isUnsure = false;

  /** Reads the sentences of other languages, if they are known. */
  readonly relationsIn: ReadForeign | undefined;

  constructor(team: RecordWords | undefined, languages: readonly LanguageWords[], relationsIn?: ReadForeign) {
    this.relationsIn = relationsIn;
    for (const word of STATUSES.keys()) this.#statuses.set(word, word);
    const own = team && languageOf(team);
    this.hasLabels = own !== undefined && Object.keys(own.labels).length > 0;
    this.languages = [...own ? [own] : [], ...languages];
    for (const language of [...own ? [own] : [], ENGLISH, ...languages]) {
      // A whole list is folded at once, which is faster than one word after another.
      for (const [english, words] of Object.entries(language.status)) {
        this.#addStatus(english, splitWords(folded(words)));
      }
      for (const [field, words] of Object.entries(language.labels)) {
        this.#addLabels(field, splitWords(labelKey(words)));
      }
    }
    this.#joined.sort((one, other) => other.length - one.length);
    this.by = this.languages.flatMap(({ labels: { supersededby = "" } }) =>
      splitWords(supersededby).flatMap((label) => / (\S+)$/.exec(label)?.[1] ?? [])
    );
    this.supersedes = this.languages.flatMap(({ labels: { supersedes = "" } }) => splitWords(supersedes));
  }

  #addStatus(english: string, keys: readonly string[]): void {
    const isJoined = JOINED.test(keys.join());
    for (const key of keys) {
      if (this.#statuses.has(key)) continue;
      this.#statuses.set(key, english);
      if (isJoined && JOINED.test(key)) this.#joined.push(key);
    }
  }

  #addLabels(field: string, keys: readonly string[]): void {
    for (const key of keys) if (!this.#labels.has(key)) this.#labels.set(key, field);
  }

  /** The English word of a status; undefined for any other word. */
  statusOf(word: string): string | undefined {
    const key = folded(word), known = this.#statuses.get(key);
    if (known === undefined && FOREIGN_LETTER.test(word)) this.doubt();
    if (known !== undefined || !JOINED.test(word) || SEPARATED.test(word)) return known;
    const within = this.#joined.find((one) => key.includes(one)), at = within ? key.indexOf(within) : 0;
    // "未接受", "承認されていない"
    const isNone = within &&
      (/[未不没沒無无非미]$/.test(key.slice(0, at).normalize("NFC")) || NOT_AFTER.test(word));
    const status = within && !isNone ? this.#statuses.get(within) : undefined;
    return status === "superseded" && PART_OF_LABEL.test(word) ? "partly superseded" : status;
  }

  /** The field of a label: "supersededby" of "Replaced by" and "Ersetzt durch"; undefined for any other text. */
  fieldOf(label: string): string | undefined {
    if (label.length > MAX_LABEL) return undefined;
    // Records of a folder have the same labels.
    const known = this.#fields.get(label);
    const isForeign = () => FOREIGN_LETTER.test(label) || FOREIGN_LABEL.test(labelKey(label));
    const field = known === undefined ? this.#fieldOf(label) ?? (isForeign() ? "" : null) : known;
    if (known === undefined && this.#fields.size < MAX_FIELDS) this.#fields.set(label, field);
    if (field === "") this.doubt();
    return field || undefined;
  }

  /** Notes that another language may know what was not found. */
  doubt(): void {
    this.#isUnsure = true;
  }

  /** Whether that was noted since the last call. */
  takeDoubt(): boolean {
    const isUnsure = this.#isUnsure;
    this.#isUnsure = false;
    return isUnsure;
  }

  #fieldOf(label: string): string | undefined {
    const key = labelKey(label);
    const known = this.#labels.get(key);
    // In English, a part has one of few words.
    if (known !== undefined || (!this.relationsIn && !key.includes("part"))) return known;
    const whole = labelKey(key.normalize("NFC").replace(PART_OF_LABEL, ""));
    const relation = whole === key ? undefined : this.#labels.get(whole);
    return relation === "supersedes" || relation === "supersededby" ? `partly${relation}` : undefined;
  }
}

/** The letters of languages that write words without spaces. */
export const JOINED: RegExp =
  /[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc]/;
/** Marks between clauses, those of links, and digits: what holds them is more than a word. */
const SEPARATED = /[;,.。、；，[(（\d]/;
/** After a word in Japanese and Korean, what says that it is not so. */
const NOT_AFTER = /ない|ません|[되하]지(?:$|[ \t]*(?:않|못|아니))/;

const ofTeams = new WeakMap<RecordWords, Words>();
const NO_TEAM: RecordWords = {};

/** The words of English, with those of a team. */
export function englishWords(team: RecordWords = NO_TEAM): Words {
  const known = ofTeams.get(team) ?? new Words(team, []);
  ofTeams.set(team, known);
  return known;
}

/** A text that says that there is nothing: "none (current)", "n/a", "not superseded", "—". */
export const NO_VALUE: RegExp =
  re`/^[\s([*_\`"'{]*(?:(?:none|nothing|nobody|n\/?a|nil|null|false|undefined|no|not|never|neither|tbd|tba|todo|unknown|to be (?:determined|decided|defined|announced)|does not|keine[rs]?|nichts|nein|aucune?|rien|ningun[oa]?|ninguém|nenhum[a]?|não|nessun[oa]?|geen|brak|żaden|нет|なし|無し|无|無|没有|없음)(?![\p{L}\p{N}-])|[-–—.?…]+(?=[\s)\]*_\`"'}.]*$)|$)/i`;
/** What a template leaves in place of a number: "ADR-XXX", "ADR-NNNN", or a number of zeros. */
export const PLACEHOLDER: RegExp =
  re`/(?:^|[^\p{L}\p{N}])(?:[A-Za-z]{2,5}[- ]?)?(?:[XN]{2,}|\?{2,}|_{2,}|0{3,}|YYYY\S*)(?![\p{L}\p{N}])/`;
export const NEGATED: RegExp =
  re`/(?:^|[^\p{L}])(?:not|never|neither|nor|without|no|nicht|kein[\p{L}]*|nie|ne|pas|jamais|no|nunca|não|nao|non|niet|nie|не)(?![\p{L}])|n['’]t(?![\p{L}])|ない|ません|未|不|没|않|못/i`;
/** Words of something that has not happened yet, or only under a condition. */
export const FUTURE: RegExp =
  re`/(?:^|[^\p{L}])(?:will|would|may|might|could|can|should|shall|must|to be|going to|if|once|unless|until|when|whenever|as soon as|eventually|expected|planned|plan|intended|pending|later to|wird|würde|soll|sollte|falls|sobald|wenn|sera|serait|si|será|seria|se|sarà|zal|zou|als|będzie|będą|jeśli|будет|если)(?![\p{L}])|予定|将被|将会|예정/i`;
/** The same after the name of a successor, where "when" tells the time at which it happened. */
export const CONDITION: RegExp =
  re`/^[\s,;(—–-]*(?:if|once|unless|until|as soon as|pending|subject to|falls|sobald|si|se|if and when|when (?:it|that|this) is)(?![\p{L}])/i`;
/** Words of a part. */
export const PARTIAL: RegExp =
  re`/(?:^|[^\p{L}])(?:part|parts|partly|partially|partial|some|section|sections|sect|paragraph|paragraphs|except|only|mostly|largely|aspects?|portions?|teilweise|teils|zum teil|partiellement|en partie|parcialmente|en parte|em parte|parzialmente|in parte|gedeeltelijk|deels|częściowo|частично|одной|partie|parte|teil|deel|część|часть)(?![\p{L}])|§|一部|部分|일부|부분|仅|僅|其余|其餘|のみ|だけ|第[ \t]*[\d一二三四五六七八九十]+[ \t]*[节節章条條项項]/i`;
