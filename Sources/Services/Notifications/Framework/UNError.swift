internal import NotificationsWire
internal import Wire

/// The domain of `UNError`.
public let UNErrorDomain = "UNErrorDomain"

/// Why something about notifications did not work. Its description is the system's own sentence, where it said one.
public struct UNError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// Apple's numbers.
    public enum Code: Int, Sendable {
        /// The user does not allow the app to notify.
        case notificationsNotAllowed = 1
        /// The attachment's URL is not that of a file that is there.
        case attachmentInvalidURL = 100
        /// The attachment's type is none that can be shown.
        case attachmentUnrecognizedType
        /// The attachment's file is too large for its type.
        case attachmentInvalidFileSize
        /// The attachment is not where attachments are kept.
        case attachmentNotInDataStore
        /// The attachment could not be brought there.
        case attachmentMoveIntoDataStoreFailed
        /// The attachment's file cannot be read.
        case attachmentCorrupt
        /// The trigger's date never comes.
        case notificationInvalidNoDate = 1400
        /// There is nothing to show, to hear or to carry.
        case notificationInvalidNoContent
        /// The object cannot provide content.
        case contentProvidingObjectNotAllowed = 1500
        /// What it provides is not usable.
        case contentProvidingInvalid
        /// A badge is a number from 0 on.
        case badgeInputInvalid = 1600

        /// So that `catch UNError.notificationsNotAllowed` finds it.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? UNError)?.code == code }
    }

    /// Which it is.
    public let code: Code
    private let sentence: String?

    /// Creates an error.
    public init(_ code: Code) { self.init(code, nil) }

    init(_ code: Code, _ sentence: String?) {
        self.code = code
        self.sentence = sentence
    }

    /// `UNErrorDomain`.
    public static var errorDomain: String { UNErrorDomain }
    /// Apple's number.
    public var errorCode: Int { code.rawValue }
    /// What the system says, for people.
    public var errorDescription: String? { sentence ?? code.sentence }
    /// The same, as `NSError` has it.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence ?? code.sentence] }

    /// The user does not allow the app to notify.
    public static var notificationsNotAllowed: Code { .notificationsNotAllowed }
    /// The attachment's URL is not that of a file that is there.
    public static var attachmentInvalidURL: Code { .attachmentInvalidURL }
    /// The attachment's type is none that can be shown.
    public static var attachmentUnrecognizedType: Code { .attachmentUnrecognizedType }
    /// The attachment's file is too large for its type.
    public static var attachmentInvalidFileSize: Code { .attachmentInvalidFileSize }
    /// The attachment is not where attachments are kept.
    public static var attachmentNotInDataStore: Code { .attachmentNotInDataStore }
    /// The attachment could not be brought there.
    public static var attachmentMoveIntoDataStoreFailed: Code { .attachmentMoveIntoDataStoreFailed }
    /// The attachment's file cannot be read.
    public static var attachmentCorrupt: Code { .attachmentCorrupt }
    /// The trigger's date never comes.
    public static var notificationInvalidNoDate: Code { .notificationInvalidNoDate }
    /// There is nothing to show, to hear or to carry.
    public static var notificationInvalidNoContent: Code { .notificationInvalidNoContent }
    /// The object cannot provide content.
    public static var contentProvidingObjectNotAllowed: Code { .contentProvidingObjectNotAllowed }
    /// What it provides is not usable.
    public static var contentProvidingInvalid: Code { .contentProvidingInvalid }
    /// A badge is a number from 0 on.
    public static var badgeInputInvalid: Code { .badgeInputInvalid }
}

extension UNError.Code {
    fileprivate var sentence: String {
        switch self {
        case .notificationsNotAllowed: "Notifications are not allowed for this application"
        case .attachmentInvalidURL: "Invalid attachment file URL"
        case .attachmentUnrecognizedType: "Unrecognized attachment file type"
        case .attachmentInvalidFileSize: "Invalid attachment file size"
        case .attachmentNotInDataStore: "The attachment is not in the data store"
        case .attachmentMoveIntoDataStoreFailed: "The attachment could not be moved into the data store"
        case .attachmentCorrupt: "The attachment file is corrupt"
        case .notificationInvalidNoDate: "The notification's date never comes"
        case .notificationInvalidNoContent: "The notification has no content"
        case .contentProvidingObjectNotAllowed: "The object cannot provide content"
        case .contentProvidingInvalid: "The content that was provided is invalid"
        case .badgeInputInvalid: "The badge count is invalid"
        }
    }
}

extension UNError {
    /// What an app gets of an error of the service: Apple's where there is one.
    static func make(_ error: RPCError) -> any Error {
        if let code = error.notificationCode.flatMap({ Code(rawValue: $0.rawValue) }) {
            return UNError(code, error.message)
        }
        // Where Apple's service cannot be reached its connection is said to be invalid.
        let isMissing = error.code == .unknown || error.code == .methodNotFound
        return NSError(
            domain: isMissing ? NSCocoaErrorDomain : "GreenroomNotificationErrorDomain",
            code: isMissing ? 4099 : error.code.rawValue, userInfo: [NSLocalizedDescriptionKey: error.message])
    }
}
