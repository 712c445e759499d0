/// How good a voice sounds.
public enum AVSpeechSynthesisVoiceQuality: Int, Sendable {
    /// As usual.
    case `default` = 1
    /// Better.
    case enhanced = 2
    /// Best.
    case premium = 3
}

/// What a voice sounds like.
public enum AVSpeechSynthesisVoiceGender: Int, Sendable {
    /// Nothing is said.
    case unspecified = 0
    /// A man's.
    case male = 1
    /// A woman's.
    case female = 2
}

/// The voice for any language that none was found for.
public let AVSpeechSynthesisVoiceIdentifierAlex = "com.apple.speech.voice.Alex"

/// A voice for a language.
// Immutable.
open class AVSpeechSynthesisVoice: NSObject, @unchecked Sendable {
    private let voice: SpeechLibrary.Voice
    /// Its language, as `en-US`.
    public let language: String

    private init(_ voice: SpeechLibrary.Voice, _ language: String) {
        (self.voice, self.language) = (voice, language)
    }

    /// A voice for a language, or for its other regions; for the user's if it is `nil`.
    ///
    /// - Returns: `nil` where there is none, or no speech synthesizer.
    public init?(language languageCode: String?) {
        let wanted = languageCode ?? Self.currentLanguageCode()
        guard let found = Self.find(wanted) else { return nil }
        voice = found
        language = Self.code(wanted.lowercased()) ?? wanted
    }

    /// A voice by its identifier.
    public init?(identifier: String) {
        let name = identifier.hasPrefix(Self.prefix) ? String(identifier.dropFirst(Self.prefix.count)) : nil
        guard let found = SpeechLibrary.voices.first(where: { $0.language == name }) else { return nil }
        voice = found
        language = Self.code(found.language) ?? found.language
    }

    private static let prefix = "greenroom.espeak."

    /// All voices.
    open class func speechVoices() -> [AVSpeechSynthesisVoice] {
        SpeechLibrary.voices.map { AVSpeechSynthesisVoice($0, code($0.language) ?? $0.language) }
    }

    /// The user's language.
    open class func currentLanguageCode() -> String {
        let language = Locale.current.identifier.split(separator: "@").first.map(String.init) ?? "en_US"
        return code(language.replacingOccurrences(of: "_", with: "-").lowercased()) ?? "en-US"
    }

    /// Its name for programs.
    open var identifier: String { Self.prefix + voice.language }
    /// Its name for people.
    open var name: String { voice.name }
    /// How good it sounds.
    open var quality: AVSpeechSynthesisVoiceQuality { .default }
    /// What it sounds like.
    open var gender: AVSpeechSynthesisVoiceGender {
        AVSpeechSynthesisVoiceGender(rawValue: voice.gender) ?? .unspecified
    }
    /// How its files are used: nothing is said.
    open var audioFileSettings: [String: Any] {
        [AVSampleRateKey: Double(SpeechLibrary.rate ?? 22_050), AVNumberOfChannelsKey: 1]
    }

    var synthesized: String { voice.language }

    /// Whether two are the same.
    open override func isEqual(_ object: Any?) -> Bool { (object as? AVSpeechSynthesisVoice)?.voice == voice }
    /// Equal for the same.
    open override var hash: Int { voice.hashValue }

    // MARK: Languages

    /// Names of languages that the library calls otherwise.
    private static let others = [
        "zh-cn": "cmn", "zh-tw": "cmn", "zh-hk": "yue", "zh": "cmn", "no-no": "nb", "nb-no": "nb", "en": "en-us",
        "pt": "pt-br", "fr": "fr-fr",
    ]

    /// Regions that Apple names where the library does not.
    private static let regions = [
        "ar": "SA", "bg": "BG", "ca": "ES", "cs": "CZ", "da": "DK", "de": "DE", "el": "GR", "es": "ES", "fi": "FI",
        "he": "IL", "hi": "IN", "hr": "HR", "hu": "HU", "id": "ID", "it": "IT", "ja": "JP", "ko": "KR", "ms": "MY",
        "nb": "NO", "nl": "NL", "pl": "PL", "pt": "PT", "ro": "RO", "ru": "RU", "sk": "SK", "sl": "SI", "sv": "SE",
        "ta": "IN", "th": "TH", "tr": "TR", "uk": "UA", "vi": "VN",
    ]

    private static func find(_ language: String) -> SpeechLibrary.Voice? {
        let wanted = language.replacingOccurrences(of: "_", with: "-").lowercased()
        let voices = SpeechLibrary.voices
        for name in [wanted, others[wanted]].compactMap({ $0 }) {
            if let exact = voices.first(where: { $0.language == name }) { return exact }
        }
        let short = String(wanted.prefix { $0 != "-" })
        let name = others[short] ?? short
        return voices.first { $0.language == name } ?? voices.first { $0.language.hasPrefix(short + "-") }
    }

    /// As Apple writes it: `en-us` is `en-US`, `de` is `de-DE`.
    private static func code(_ language: String) -> String? {
        switch language {
        case "cmn": return "zh-CN"
        case "yue": return "zh-HK"
        default: break
        }
        let parts = language.split(separator: "-").map(String.init)
        guard let short = parts.first, !short.isEmpty else { return nil }
        if parts.count == 1 { return regions[short].map { "\(short)-\($0)" } ?? short }
        return ([short] + parts.dropFirst().map { $0.count == 2 ? $0.uppercased() : $0 }).joined(separator: "-")
    }
}
