internal import Foundation
internal import FoundationNetworking
internal import TransferWire
internal import Wire

/// What a program keeps of a download that it wants to go on with: the service's words, and the request, which the
/// service forgets with the task.
enum ResumeData {
    static func wrap(_ words: [UInt8], _ request: URLRequest?, _ timeout: TimeInterval) -> Data {
        let json: JSONValue = [
            "request": TransferRequestInfo(request, timeout).json, "words": .string(Base64.text(words)),
        ]
        return Data(json.encoded)
    }

    /// What is not ours goes to the service as it is, which says that it cannot use it.
    static func unwrap(_ data: Data) -> (words: [UInt8], request: URLRequest?) {
        guard let json = try? JSONValue(parsing: Array(data)), let text = json["words"]?.string,
            let words = Base64.bytes(text), let info = json["request"],
            let request = try? TransferRequestInfo(json: info)
        else { return (Array(data), nil) }
        return (words, URLRequest(request))
    }
}
