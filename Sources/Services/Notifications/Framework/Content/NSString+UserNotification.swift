public import Foundation

extension NSString {
    /// A text of the app's `Localizable.strings`, with its arguments, for a notification.
    ///
    /// It is in the language of the moment at which it is made, where Apple's systems take that of the moment at which
    /// it is shown.
    public class func localizedUserNotificationString(forKey key: String, arguments: [Any]?) -> String {
        let format = Bundle.main.localizedString(forKey: key, value: nil, table: nil)
        return String(format: format, arguments: (arguments ?? []).map { $0 as? any CVarArg ?? "\($0)" })
    }
}
