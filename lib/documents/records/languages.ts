/** The words of all languages but English, as data. They are loaded for the first record that may need them. */

import type { Heading } from "../../formats/markdown/body.ts";
import type { RecordWords } from "./record.ts";
import type { LanguageWords } from "./words.ts";
import { foreignRelations } from "./foreign_relations.ts";
import { headingPattern } from "./signs.ts";
import { JOINED, Words } from "./words.ts";

/** Other languages. Case and accents do not matter. */
const LANGUAGES: Readonly<Record<string, LanguageWords>> = {
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
    sections: {
      context: "kontext,hintergrund,ausgangslage,ausgangssituation,problemstellung",
      decision: "entscheidung,beschluss",
      consequences: "konsequenzen,folgen,auswirkungen",
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
    sections: {
      context: "contexte,problème,problématique",
      decision: "décision",
      consequences: "conséquences,impacts",
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
    sections: {
      context: "contexto,antecedentes,problema",
      decision: "decisión",
      consequences: "consecuencias",
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
    sections: {
      context: "contexto,antecedentes,problema",
      decision: "decisão",
      consequences: "consequências",
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
    sections: { context: "contesto,antefatti,problema", decision: "decisione", consequences: "conseguenze" },
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
    sections: {
      context: "context,achtergrond,probleemstelling",
      decision: "besluit,beslissing",
      consequences: "gevolgen,consequenties",
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
    sections: { context: "kontekst,tło,problem", decision: "decyzja", consequences: "konsekwencje,skutki" },
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
    sections: { context: "контекст,проблема,предпосылки", decision: "решение", consequences: "последствия" },
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
    sections: { context: "コンテキスト,背景,文脈,課題", decision: "決定", consequences: "結果,影響,帰結" },
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
      supersedes: "取代了,替代了,取代,替代,替换,替換",
      supersededby: "被取代,取代者,被替代,替代者",
      relatesto: "相关,相關,参见",
      other: "作者,决策者,決策者,标题",
    },
    sections: {
      context: "背景,上下文,问题,問題",
      decision: "决定,決定,决策,決策",
      consequences: "后果,後果,结果,結果,影响,影響",
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
    sections: { context: "맥락,배경,컨텍스트,문맥", decision: "결정", consequences: "결과,영향" },
  },
};

const ofTeams = new WeakMap<RecordWords, Words>();
let standard: Words | undefined;

/** The words of all languages. */
export function standardWords(): Words {
  return standard ??= new Words(undefined, Object.values(LANGUAGES), foreignRelations);
}

/** The words of all languages, with those of a team. */
export function teamWords(team: RecordWords | undefined): Words {
  if (team === undefined) return standardWords();
  const known = ofTeams.get(team) ?? new Words(team, Object.values(LANGUAGES), foreignRelations);
  ofTeams.set(team, known);
  return known;
}

/** The usual sections of a record. */
export type UsualSection = "context" | "decision" | "consequences";
const patterns = new Map<UsualSection, RegExp>();

/** A pattern for the headings of a usual section in any language but English. */
export function sectionPattern(part: UsualSection): RegExp {
  const known = patterns.get(part);
  if (known) return known;
  const words = Object.values(LANGUAGES).flatMap(({ sections }) => sections![part].split(","))
    .map((word) => JOINED.test(word) ? word : `${word}(?![\\p{L}])`);
  const pattern = headingPattern(words.join("|"));
  patterns.set(part, pattern);
  return pattern;
}

/** Whether sections are those of a record in another language. */
export function hasForeignSections(sections: readonly Heading[]): boolean {
  const titles = sections.map(({ title }) => title).join("\n");
  return sectionPattern("context").test(titles) && sectionPattern("decision").test(titles);
}
