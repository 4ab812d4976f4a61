export const apiHelpPath = '/help/api'
export const modelsPath = `${apiHelpPath}/models`
