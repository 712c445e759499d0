internal import Foundation
internal import FoundationNetworking
internal import TransferWire
internal import Wire

/// What a program keeps of a download of this process that it wants to go on with: a property list with the keys that
/// Apple's has, since programs read them, and the request in our own words.
struct ForegroundResumeData {
    private enum Key {
        static let version = "NSURLSessionResumeInfoVersion"
        static let url = "NSURLSessionDownloadURL"
        static let received = "NSURLSessionResumeBytesReceived"
        static let file = "NSURLSessionResumeInfoTempFileName"
        static let tag = "NSURLSessionResumeEntityTag"
        static let date = "NSURLSessionResumeServerDownloadDate"
        static let request = "GreenroomRequest"
    }

    var request: URLRequest
    var file: String
    var received: Int64
    var validator: Validator

    init(_ request: URLRequest, _ file: String, _ received: Int64, _ validator: Validator) {
        self.request = request
        self.file = file
        self.received = received
        self.validator = validator
    }

    /// `nil` for anything else.
    init?(_ data: Data) {
        let list = unsafe try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        guard let list = list as? [String: Any], let words = list[Key.request] as? Data,
            let json = try? JSONValue(parsing: Array(words)), let info = try? TransferRequestInfo(json: json),
            let request = URLRequest(info), let file = list[Key.file] as? String,
            let received = (list[Key.received] as? NSNumber)?.int64Value,
            let validator = Validator(tag: list[Key.tag] as? String, date: list[Key.date] as? String)
        else { return nil }
        self.init(request, file, received, validator)
    }

    var data: Data? {
        // Foundation's default says nothing: then the timeout of the session counts that goes on.
        var info = TransferRequestInfo(request, request.timeoutInterval)
        if request.timeoutInterval == 60 { info.timeout = nil }
        var list: [String: Any] = [
            Key.version: 2, Key.received: NSNumber(value: received), Key.file: file,
            Key.request: Data(info.json.encoded),
        ]
        list[Key.url] = request.url?.absoluteString
        list[Key.tag] = validator.tag
        list[Key.date] = validator.date
        return try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    static func origin(_ data: Data) -> Download.Origin {
        ForegroundResumeData(data).map(Download.Origin.resumed) ?? .unreadable
    }
}
