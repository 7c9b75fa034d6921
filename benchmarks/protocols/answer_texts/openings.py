"""Phrases with which models begin an answer and which by themselves answer nothing, as `emptiness`
looks for them.

A row is the parts of a phrase in order, a part its alternatives with "|" between them; one of them
may be nothing. Everything is in lower case. Words that may be an answer are in no row: "sure" and
"correct" say yes, "A" is an option, "thinking" what somebody in a picture does; the Hindi word for
"answer" also means "north".

The first row that fits is taken, and of a part its longest alternative: no phrase may begin with
another row's phrase, unless what is left of it is a phrase too.
"""

Row = tuple[str, ...]

_ENGLISH: tuple[Row, ...] = (
    (
        (
            "|the|my|our|a|here is|here's|below is|sure, here is|certainly, here is|of course, "
            "here is|okay, here is"
        ),
        "|the|my|a",
        "|final|correct|detailed|short|full|step-by-step",
        "solution|answer|response|explanation|analysis|reasoning|rationale|thought "
        "process|thinking process|reasoning process|chain of thought",
        "|is|is as follows|as follows|is the following|is below",
        "|to this question|to the question|to this problem|to the problem",
    ),
    (
        "|okay|alright|first|now|so|to answer",
        "let us|let's|let me|i will|i'll|i shall|we will|we'll|we can|we need to|i need to",
        "think|think about|think through|reason|reason about|reason through|solve|work out|work "
        "through|work on|tackle|approach|answer|analyze|analyse|examine|consider|break|break "
        "down|go through|look at|figure out",
        "|it|this|that|the problem|this problem|the question|this question|the task|this task|the "
        "image|this image|the picture|this picture",
        "|down|out|through",
        "|carefully|systematically|together|logically|slowly",
        "|step by step|one step at a time|in steps",
    ),
    (
        "let us|let's|i will|i'll|we will|we can",
        "do|take",
        "it|this|the problem",
        "step by step|one step at a time",
    ),
    ("|thinking|reasoning|working|solving|solving this|solving it|explained", "step by step"),
)

_CHINESE: tuple[Row, ...] = (
    (
        "|好的",
        "让我们|讓我們|我们|我們|我们来|我們來|让我|讓我|我来|我來|让我们来|讓我們來",
        "|一起",
        "一步一步|一步步|逐步",
        "|地|来|來",
        "解决|解決|分析|思考|推理|解答|看看|想想|想",
        "|这个问题|這個問題|这道题|這道題|这个题目|這個題目|问题|問題|这张图片|這張圖片",
    ),
)
_JAPANESE: tuple[Row, ...] = (
    (
        "|では",
        "|この問題を|問題を|この質問を",
        "ステップバイステップで|ステップ・バイ・ステップで|一歩ずつ|段階的に|順を追って|一つずつ",
        "考え|考えてみ|考えていき|解き|解いてみ|解いていき|解決し",
        "ましょう|ます",
    ),
)
_KOREAN: tuple[Row, ...] = (
    (
        "|이 문제를|문제를",
        "단계별로|단계적으로|차근차근|한 단계씩",
        "생각해|풀어|해결해",
        "봅시다|보자|보겠습니다",
    ),
)
_SPANISH: tuple[Row, ...] = (
    ("|la|mi", "respuesta", "|final|correcta", "|es|es la siguiente"),
    ("|la|una|mi|nuestra|aquí está la|aquí tienes la", "solución|solucion|explicación|explicacion"),
    ("|el|mi", "razonamiento|análisis|proceso de pensamiento|proceso de razonamiento"),
    (
        (
            "|resolvamos|vamos a resolver|pensemos|vamos a pensar|analicemos|vamos a "
            "analizar|razonemos"
        ),
        "|esto|este problema|el problema|esta pregunta|la pregunta|la imagen",
        "paso a paso",
    ),
)
_PORTUGUESE: tuple[Row, ...] = (
    ("|a|minha|a minha", "resposta", "|final|correta", "|é|é a seguinte"),
    ("|a|uma|minha|a minha|aqui está a", "solução|solucao|explicação|explicacao|análise"),
    ("|o|meu|o meu", "raciocínio|raciocinio|processo de pensamento|processo de raciocínio"),
    (
        "|vamos resolver|resolvamos|vamos pensar|pensemos|vamos analisar|analisemos",
        "|isso|isto|este problema|esse problema|o problema|esta questão|esta pergunta|a imagem",
        "passo a passo",
    ),
)
_FRENCH: tuple[Row, ...] = (
    ("|la|ma|voici la|voici ma", "réponse|reponse", "|finale|correcte", "|est|est la suivante"),
    ("la|une|ma|notre|voici la|voici ma", "solution|démarche"),
    ("|l'|mon|une|le", "explication|raisonnement|processus de réflexion|processus de pensée"),
    (
        "|résolvons|resolvons|réfléchissons|analysons|raisonnons|pensons|procédons",
        (
            "|cela|ce problème|ce probleme|le problème|cette question|l'image|à ce problème|à "
            "cette question"
        ),
        "étape par étape|etape par etape|pas à pas",
    ),
)
_GERMAN: tuple[Row, ...] = (
    ("|der|mein", "gedankengang|denkprozess|denkvorgang|lösungsweg|rechenweg"),
    (
        "|die|eine|meine|unsere|hier ist die|hier ist meine",
        "|endgültige|richtige|korrekte|finale",
        "lösung|loesung|antwort|erklärung|begründung",
        "|ist|lautet|lautet wie folgt",
    ),
    (
        "|lösen wir|denken wir|betrachten wir|gehen wir|lass uns|lasst uns|wir lösen|ich löse",
        (
            "|das|dies|dieses problem|das problem|diese aufgabe|die aufgabe|diese frage|die "
            "frage|darüber"
        ),
        "schritt für schritt|schrittweise",
        "|lösen|nachdenken|denken|durchgehen|vorgehen|durch|nach|angehen",
    ),
)
_ITALIAN: tuple[Row, ...] = (
    ("|la|mia|la mia|ecco la", "risposta", "|finale|corretta", "|è|è la seguente"),
    ("|la|una|mia|la mia|ecco la", "soluzione|spiegazione"),
    ("|il|il mio", "ragionamento|processo di pensiero|procedimento"),
    (
        "|risolviamo|pensiamo|ragioniamo|analizziamo",
        "|questo problema|il problema|questa domanda|l'immagine",
        "passo dopo passo|passo passo|passo per passo|un passo alla volta",
    ),
)
_RUSSIAN: tuple[Row, ...] = (
    ("|мое|моё|вот|наше", "решение|объяснение|рассуждение|пояснение"),
    ("|мой|вот", "|окончательный|итоговый|правильный", "ответ", "|таков|такой|следующий"),
    ("|мой|мои", "ход мыслей|ход рассуждений|процесс мышления|рассуждения|размышления"),
    (
        "|давайте",
        "|решим|подумаем|разберем|разберём|рассмотрим",
        "|это|эту задачу|задачу|эту проблему|этот вопрос|вопрос|над этой задачей",
        "шаг за шагом|пошагово|по шагам|по порядку",
    ),
)
_ARABIC: tuple[Row, ...] = (
    ("الحل|الجواب|الإجابة|الاجابة|إجابة|اجابة|الشرح|التحليل|عملية التفكير", "|هو|هي"),
    (
        "|لنحل|دعنا نحل|دعونا نحل|لنفكر|دعنا نفكر|دعونا نفكر",
        "|هذه المشكلة|هذا السؤال",
        "خطوة بخطوة",
    ),
)
_DUTCH: tuple[Row, ...] = (
    (
        "|de|het|mijn|hier is de|hier is het",
        "oplossing|antwoord|uitleg|redenering|denkproces",
        "|is",
    ),
    (
        "|laten we",
        "|dit|dit probleem|deze vraag",
        "stap voor stap",
        "|oplossen|nadenken|denken|bekijken",
    ),
)
_INDONESIAN: tuple[Row, ...] = (
    ("solusi|jawaban|jawabannya|penjelasan|pembahasan|proses berpikir", "|adalah"),
    (
        "|mari kita selesaikan|mari selesaikan|mari kita pikirkan",
        "|masalah ini|soal ini|ini",
        "langkah demi langkah",
    ),
)
_POLISH: tuple[Row, ...] = (
    ("|moje|oto", "rozwiązanie|wyjaśnienie|rozumowanie"),
    ("|moja|oto|prawidłowa|ostateczna", "odpowiedź", "|to|brzmi"),
    ("|rozwiążmy|przeanalizujmy|pomyślmy", "|to|ten problem|to zadanie", "krok po kroku"),
)
_TURKISH: tuple[Row, ...] = (
    ("çözüm|cevap|yanıt|açıklama|düşünce süreci", "|şudur|şöyledir"),
    ("|hadi", "|bu problemi|bu soruyu", "adım adım", "|çözelim|düşünelim|inceleyelim"),
)
_UKRAINIAN: tuple[Row, ...] = (
    ("|моя|моє|ось", "розв'язання|рішення|відповідь|пояснення|хід думок"),
    ("|давайте", "|розв'яжемо|подумаємо", "|цю задачу|цю проблему", "крок за кроком"),
)
_VIETNAMESE: tuple[Row, ...] = (
    (
        "|đây là",
        "lời giải|bài giải|đáp án|câu trả lời|giải thích|phân tích|quá trình suy nghĩ",
        "|là",
    ),
    (
        "|hãy|chúng ta hãy|hãy cùng",
        "giải|giải quyết|suy nghĩ",
        "|bài toán này|vấn đề này",
        "từng bước",
    ),
)

# Scripts without blanks between words, in one row so that a longer word is found before a shorter
# it begins with.
_SHORT: Row = (
    "解|答|解答|答案|答案是|答案为|答案為|最终答案|最終答案|回答|我的回答|解析|解释|解釋|分析|解法|解题|解題|思路|解题思路"
    "|解題思路|解题过程|解題過程|思考过程|思考過程|推理过程|推理過程|分析过程|分析過程|解决方案|解決方案|逐步解答|逐步分析"
    "|一步一步|一步一步来|一步一步來"
    "|かいせつ|カイセツ|解説|答え|答えは|こたえ|コタエ|説明|推論|推論過程|思考プロセス|ステップバイステップ"
    "|해설|풀이|풀이 과정|해답|답|답은|답변|정답은|설명|사고 과정|추론 과정|생각 과정",
)

OPENINGS: tuple[Row, ...] = (
    *_ENGLISH,
    *_CHINESE,
    *_JAPANESE,
    *_KOREAN,
    _SHORT,
    *_SPANISH,
    *_PORTUGUESE,
    *_FRENCH,
    *_GERMAN,
    *_ITALIAN,
    *_RUSSIAN,
    *_ARABIC,
    *_DUTCH,
    *_INDONESIAN,
    *_POLISH,
    *_TURKISH,
    *_UKRAINIAN,
    *_VIETNAMESE,
)
