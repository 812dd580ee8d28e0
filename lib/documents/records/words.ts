/** The words that records are read by, as data: those of English and of other languages. The guideline reading-records lists them. */

import type { RecordWords } from "./record.ts";
import { STATUSES } from "./status.ts";

/** The words of one language, each list separated by commas. */
export interface Language {
  /** The words of a status, by its English word. */
  readonly status: Readonly<Record<string, string>>;
  /** The labels of fields, by the name of the field. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Labels in English. A field that is not read is here too, because its label ends the value of another field. */
const ENGLISH: Language = {
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

/** Other languages. Case and accents do not matter. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  German: {
    status: {
      proposed: "vorgeschlagen,vorschlag",
      draft: "entwurf",
      accepted: "akzeptiert,angenommen,beschlossen,gültig",
      approved: "genehmigt,freigegeben",
      decided: "entschieden",
      implemented: "umgesetzt",
      rejected: "abgelehnt,verworfen",
      deprecated: "veraltet,überholt",
      superseded: "ersetzt,abgelöst,abgeloest",
      withdrawn: "zurückgezogen,zurueckgezogen",
      "in review": "in prüfung",
      pending: "ausstehend",
      "in progress": "in arbeit,in bearbeitung",
      open: "offen",
    },
    labels: {
      status: "stand,zustand",
      date: "datum,entscheidungsdatum",
      created: "erstellt,erstellt am",
      supersedes: "ersetzt,löst ab",
      supersededby: "ersetzt durch,abgelöst durch,abgelöst von,nachfolger",
      amends: "ergänzt,ändert",
      amendedby: "ergänzt durch,geändert durch",
      relatesto: "siehe auch,verwandt,bezug",
      other: "autor,autoren,entscheider,beteiligte,titel",
    },
  },
  French: {
    status: {
      proposed: "proposé,proposée,proposition",
      draft: "brouillon,ébauche",
      accepted: "accepté,acceptée,adopté,adoptée",
      approved: "approuvé,approuvée,validé,validée",
      implemented: "implémenté,implémentée",
      rejected: "rejeté,rejetée,refusé,refusée",
      deprecated: "déprécié,dépréciée,obsolète",
      superseded: "remplacé,remplacée",
      withdrawn: "retiré,retirée,abandonné,abandonnée",
      "in review": "en revue,en relecture",
      pending: "en attente",
      "in progress": "en cours",
    },
    labels: {
      status: "statut,état",
      date: "date de décision",
      supersedes: "remplace",
      supersededby: "remplacé par,remplacée par",
      amends: "amende,modifie",
      amendedby: "amendé par,amendée par,modifié par,modifiée par",
      relatesto: "voir aussi,lié à,liée à",
      other: "auteur,auteurs,décideurs,titre",
    },
  },
  Spanish: {
    status: {
      proposed: "propuesto,propuesta",
      draft: "borrador",
      accepted: "aceptado,aceptada,adoptado,adoptada",
      approved: "aprobado,aprobada",
      active: "vigente",
      implemented: "implementado,implementada",
      rejected: "rechazado,rechazada",
      deprecated: "obsoleto,obsoleta,en desuso",
      superseded: "reemplazado,reemplazada,sustituido,sustituida,remplazado,remplazada",
      withdrawn: "retirado,retirada",
      "in review": "en revisión,pendiente de revisión",
      pending: "pendiente",
      "in progress": "en curso,en progreso",
    },
    labels: {
      status: "estado,estatus",
      date: "fecha,fecha de decisión",
      supersedes: "reemplaza,sustituye,reemplaza a,sustituye a",
      supersededby: "reemplazado por,reemplazada por,sustituido por,sustituida por",
      amends: "modifica,enmienda",
      amendedby: "modificado por,modificada por,enmendado por",
      relatesto: "ver también,véase también,relacionado con",
      other: "autor,autores,decisores,título",
    },
  },
  Portuguese: {
    status: {
      proposed: "proposto,proposta",
      draft: "rascunho",
      accepted: "aceito,aceita,aceite,adotado,adotada",
      approved: "aprovado,aprovada",
      active: "vigente",
      implemented: "implementado,implementada",
      rejected: "rejeitado,rejeitada,recusado,recusada",
      deprecated: "depreciado,depreciada,descontinuado,descontinuada",
      superseded: "substituído,substituída,superado,superada",
      withdrawn: "retirado,retirada",
      "in review": "em revisão,pendente de revisão",
      pending: "pendente",
      "in progress": "em andamento,em progresso",
    },
    labels: {
      status: "estado,situação",
      date: "data,data da decisão",
      supersedes: "substitui",
      supersededby:
        "substituído por,substituída por,superado por,superada por,substituído pelo,substituída pela",
      amends: "altera,emenda",
      amendedby: "alterado por,alterada por,emendado por",
      relatesto: "ver também,veja também,relacionado a",
      other: "autor,autores,decisores,título",
    },
  },
  Italian: {
    status: {
      proposed: "proposto,proposta",
      draft: "bozza",
      accepted: "accettato,accettata,adottato,adottata",
      approved: "approvato,approvata",
      implemented: "implementato,implementata",
      rejected: "rifiutato,rifiutata,respinto,respinta",
      deprecated: "deprecato,deprecata,obsoleto,obsoleta",
      superseded: "sostituito,sostituita,superato,superata",
      withdrawn: "ritirato,ritirata",
      "in review": "in revisione",
      pending: "in attesa",
      "in progress": "in corso",
    },
    labels: {
      status: "stato",
      date: "data",
      supersedes: "sostituisce",
      supersededby:
        "sostituito da,sostituita da,superato da,superata da,sostituito dal,sostituita dalla,sostituito dall",
      amends: "modifica",
      amendedby: "modificato da,modificata da",
      relatesto: "vedi anche,correlato a",
      other: "autore,autori,titolo",
    },
  },
  Dutch: {
    status: {
      proposed: "voorgesteld,voorstel",
      draft: "concept",
      accepted: "geaccepteerd,aanvaard,aangenomen",
      approved: "goedgekeurd",
      implemented: "geïmplementeerd",
      rejected: "afgewezen,verworpen",
      deprecated: "verouderd",
      superseded: "vervangen",
      withdrawn: "ingetrokken",
      "in review": "in beoordeling",
      "in progress": "in behandeling",
    },
    labels: {
      date: "datum",
      supersedes: "vervangt",
      supersededby: "vervangen door",
      amends: "wijzigt",
      amendedby: "gewijzigd door",
      relatesto: "zie ook,gerelateerd aan",
      other: "auteur,auteurs,beslissers,titel",
    },
  },
  Polish: {
    status: {
      proposed: "proponowany,proponowana,proponowane,zaproponowano,propozycja",
      draft: "szkic",
      accepted: "zaakceptowany,zaakceptowana,zaakceptowane,zaakceptowano,przyjęty,przyjęta,przyjęte,przyjęto",
      approved: "zatwierdzony,zatwierdzona,zatwierdzone,zatwierdzono",
      implemented: "wdrożony,wdrożona,wdrożone",
      rejected: "odrzucony,odrzucona,odrzucone,odrzucono",
      deprecated: "przestarzały,przestarzała,przestarzałe,wycofany,wycofana,wycofane",
      superseded: "zastąpiony,zastąpiona,zastąpione,zastąpiono",
      "in progress": "w trakcie,w toku",
    },
    labels: {
      status: "stan",
      date: "data,data decyzji",
      supersedes: "zastępuje",
      supersededby: "zastąpiony przez,zastąpiona przez,zastąpione przez",
      amends: "zmienia",
      amendedby: "zmieniony przez,zmieniona przez,zmienione przez",
      relatesto: "zobacz też,powiązane",
      other: "autor,autorzy,tytuł",
    },
  },
  Russian: {
    status: {
      proposed: "предложено,предложен,предложена,предложение",
      draft: "черновик",
      accepted: "принято,принят,принята",
      approved: "одобрено,одобрен,одобрена,утверждено,утверждён,утверждена",
      implemented: "реализовано,реализован,реализована,внедрено",
      rejected: "отклонено,отклонён,отклонена,отвергнуто",
      deprecated: "устарело,устарел,устарела",
      superseded: "заменено,заменён,заменена",
      withdrawn: "отозвано,отозван,отозвана",
      "in review": "на рассмотрении,на согласовании",
      "in progress": "в работе",
    },
    labels: {
      status: "статус,состояние",
      date: "дата,дата решения",
      supersedes: "заменяет",
      supersededby: "заменено,заменён,заменена,заменено на,заменён на,заменена на,заменено решением",
      amends: "изменяет,дополняет",
      amendedby: "изменено,изменён,дополнено,дополнен",
      relatesto: "см. также,связано с",
      other: "автор,авторы,название",
    },
  },
  Japanese: {
    status: {
      proposed: "提案,提案中,提案済み",
      draft: "下書き,草案,ドラフト",
      accepted: "承認,承認済み,採用,採用済み,採択,採択済み,受理,決定済み",
      implemented: "実装済み",
      rejected: "却下,却下済み,不採用,棄却",
      deprecated: "非推奨,廃止,廃止済み",
      superseded: "置き換え,置き換え済み,置換,置換済み,置き換えられた,置き換えられました,差し替え",
      withdrawn: "取り下げ,取下げ",
      "in review": "レビュー中,検討中",
    },
    labels: {
      status: "ステータス,状態,状況",
      date: "日付,日時,決定日,作成日",
      supersedes: "置き換え対象,置き換える決定",
      supersededby: "置き換え先,後継,後継adr",
      relatesto: "関連,関連adr",
      other: "作成者,著者,決定者,タイトル",
    },
  },
  Chinese: {
    status: {
      proposed: "提议,提議,已提议,已提議,提案,建议中",
      draft: "草案,草稿",
      accepted: "接受,已接受,已采纳,采纳,已採納,採納,已采用,已通过,已通過,通过",
      approved: "批准,已批准",
      active: "生效,已生效",
      implemented: "已实施,已實施,已实现,已實現",
      rejected: "拒绝,已拒绝,拒絕,已拒絕,否决,已否决",
      deprecated: "弃用,已弃用,棄用,已棄用,废弃,已废弃,已過時,已过时",
      superseded: "已被取代,被取代,取代,已取代,替代,已替代,被替代,已被替代,替换,已替换,被替换,已被替换",
      withdrawn: "撤回,已撤回",
      "in review": "评审中,審查中",
    },
    labels: {
      status: "状态,狀態",
      date: "日期,决策日期,決策日期",
      supersedes: "取代了,替代了",
      supersededby: "被取代,取代者,被替代,替代者",
      relatesto: "相关,相關,参见",
      other: "作者,决策者,決策者,标题",
    },
  },
  Korean: {
    status: {
      proposed: "제안,제안됨,제안 중",
      draft: "초안",
      accepted: "승인,승인됨,채택,채택됨,수락,수락됨",
      implemented: "구현됨",
      rejected: "거부,거부됨,거절,거절됨,반려,반려됨",
      deprecated: "폐기,폐기됨,사용 중단",
      superseded: "대체,대체됨,대체되었음",
      withdrawn: "철회,철회됨",
      "in review": "검토 중,검토중",
    },
    labels: {
      status: "상태",
      date: "날짜,일자,결정일,작성일",
      supersedes: "대체 대상",
      supersededby: "대체됨,후속 결정",
      relatesto: "관련,관련 결정",
      other: "작성자,결정자,제목",
    },
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
export const listOf = (words: string): string[] => words.split(",").filter((word) => word !== "");

/** The maximum number of labels whose fields are remembered. */
const MAX_FIELDS = 1000;

const textsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((one): one is string => typeof one === "string" && one.trim() !== "")
    : [];

/** Whether a word of a status is one of English, in any spelling that is known. */
export function isEnglish(word: string): boolean {
  const key = word.toLowerCase();
  return STATUSES.has(key) || Object.values(ENGLISH.status).some((words) => listOf(words).includes(key));
}

/** The words of a team in the form of a language. They come from a file, which may have anything in these places. */
function languageOf({ status, labels }: RecordWords): Language {
  const listed = (words: unknown, nameOf: (name: string) => string) =>
    Object.fromEntries(Object.entries(Object(words)).map(([name, all]) => [nameOf(name), `${textsOf(all)}`]));
  return { status: listed(status, (name) => name), labels: listed(labels, labelKey) };
}

/** The words of all languages, and of a team. */
export class Words {
  /** The English word of a status, by folded word. */
  readonly #statuses = new Map<string, string>();
  readonly #labels = new Map<string, string>();
  /** The results of `fieldOf`; null for a label of no field. */
  readonly #fields = new Map<string, string | null>();
  /** The words of languages without spaces, the longest first. */
  readonly #joined: string[] = [];
  /** Before the name of a successor: "by", "durch". */
  readonly by: readonly string[];
  readonly supersedes: readonly string[];
  /** That of the team, and all but English. */
  readonly languages: readonly Language[];
  /** Whether a team has labels of its own. */
  readonly hasLabels: boolean;

  constructor(team?: RecordWords) {
    for (const word of STATUSES.keys()) this.#statuses.set(word, word);
    const own = team && languageOf(team);
    this.hasLabels = own !== undefined && Object.keys(own.labels).length > 0;
    this.languages = [...own ? [own] : [], ...Object.values(LANGUAGES)];
    for (const language of [...own ? [own] : [], ENGLISH, ...Object.values(LANGUAGES)]) {
      for (const [english, words] of Object.entries(language.status)) this.#addStatus(english, listOf(words));
      for (const [field, words] of Object.entries(language.labels)) this.#addLabels(field, listOf(words));
    }
    this.#joined.sort((one, other) => other.length - one.length);
    this.by = this.languages.flatMap(({ labels: { supersededby = "" } }) =>
      listOf(supersededby).flatMap((label) => / (\S+)$/.exec(label)?.[1] ?? [])
    );
    this.supersedes = this.languages.flatMap(({ labels: { supersedes = "" } }) => listOf(supersedes));
  }

  #addStatus(english: string, words: readonly string[]): void {
    for (const word of words) {
      const key = folded(word);
      if (this.#statuses.has(key)) continue;
      this.#statuses.set(key, english);
      if (JOINED.test(word)) this.#joined.push(key);
    }
  }

  #addLabels(field: string, words: readonly string[]): void {
    for (const word of words) {
      const key = labelKey(word);
      if (!this.#labels.has(key)) this.#labels.set(key, field);
    }
  }

  /** The English word of a status; undefined for any other word. */
  statusOf(word: string): string | undefined {
    const key = folded(word), known = this.#statuses.get(key);
    if (known !== undefined || !JOINED.test(word) || SEPARATED.test(word)) return known;
    const within = this.#joined.find((one) => key.includes(one));
    return within && this.#statuses.get(within);
  }

  /** The field of a label: "supersededby" of "Replaced by" and "Ersetzt durch"; undefined for any other text. */
  fieldOf(label: string): string | undefined {
    // Records of a folder have the same labels.
    const known = this.#fields.get(label);
    if (known !== undefined) return known === null ? undefined : known;
    const field = this.#fieldOf(label);
    if (this.#fields.size < MAX_FIELDS) this.#fields.set(label, field ?? null);
    return field;
  }

  #fieldOf(label: string): string | undefined {
    const key = labelKey(label);
    if (key.length > 40) return undefined;
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    const whole = key.replace(/\(?(?:partly|partially|partial|inpart)\)?/, "");
    const relation = whole === key ? undefined : this.#labels.get(whole);
    return relation === "supersedes" || relation === "supersededby" ? `partly${relation}` : undefined;
  }
}

/** The letters of languages that write words without spaces. */
export const JOINED: RegExp = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** Marks between clauses, and those of links: what holds them is more than a word. */
const SEPARATED = /[;,。、；，[(（]/;

let standard: Words | undefined;
const ofTeams = new WeakMap<RecordWords, Words>();

/** The words of all languages, with those of a team. */
export function teamWords(team: RecordWords | undefined): Words {
  if (team === undefined) return standardWords();
  const known = ofTeams.get(team) ?? new Words(team);
  ofTeams.set(team, known);
  return known;
}

/** The words of all languages. They are prepared when the first record is read. */
export function standardWords(): Words {
  return standard ??= new Words();
}

/** A text that says that there is nothing: "none (current)", "n/a", "not superseded", "—". */
export const NO_VALUE: RegExp =
  /^[\s([*_`"'{]*(?:(?:none|nothing|nobody|n\/?a|nil|null|false|undefined|no|not|never|neither|tbd|tba|todo|unknown|to be (?:determined|decided|defined|announced)|does not|keine[rs]?|nichts|nein|aucune?|rien|ningun[oa]?|ninguém|nenhum[a]?|não|nessun[oa]?|geen|brak|żaden|нет|なし|無し|无|無|没有|없음)(?![\p{L}\p{N}-])|[-–—.?…]+(?=[\s)\]*_`"'}.]*$)|$)/iu;
/** What a template leaves in place of a number: "ADR-XXX", "ADR-NNNN", "[ADR-0000]". */
export const PLACEHOLDER: RegExp =
  /(?:^|[^\p{L}\p{N}])(?:[A-Za-z]{2,5}[- ]?)?(?:[XN]{2,}|\?{2,}|_{2,}|0{3,}|YYYY\S*)(?![\p{L}\p{N}])/u;
export const NEGATED: RegExp =
  /(?:^|[^\p{L}])(?:not|never|neither|nor|without|no|nicht|kein\p{L}*|nie|ne|pas|jamais|no|nunca|não|nao|non|niet|nie|не)(?![\p{L}])|n['’]t(?![\p{L}])|ない|ません|未|不|没/iu;
/** Words of something that has not happened yet, or only under a condition. */
export const FUTURE: RegExp =
  /(?:^|[^\p{L}])(?:will|would|may|might|could|can|should|shall|must|to be|going to|if|once|unless|until|when|whenever|as soon as|eventually|expected|planned|plan|intended|pending|later to|wird|würde|soll|sollte|falls|sobald|wenn|sera|serait|si|será|seria|se|sarà|zal|zou|als|będzie|będą|jeśli|будет|если)(?![\p{L}])|予定|将被|将会|예정/iu;
/** The same after the name of a successor, where "when" tells the time at which it happened. */
export const CONDITION: RegExp =
  /^[\s,;(—–-]*(?:if|once|unless|until|as soon as|pending|subject to|falls|sobald|si|se|if and when|when (?:it|that|this) is)(?![\p{L}])/iu;
/** Words of a part. */
export const PARTIAL: RegExp =
  /(?:^|[^\p{L}])(?:part|parts|partly|partially|partial|some|section|sections|sect|paragraph|paragraphs|except|only|mostly|largely|aspects?|portions?|teilweise|teils|zum teil|partiellement|en partie|parcialmente|en parte|em parte|parzialmente|in parte|gedeeltelijk|deels|częściowo|частично|одной|partie|parte|teil|deel|część|часть)(?![\p{L}])|§|一部|部分|일부|仅|僅|其余|其餘|のみ|だけ|第[ \t]*[\d一二三四五六七八九十]+[ \t]*[节節章条條项項]/iu;
